import Foundation
import StorageRunFiles

/// `results/latest`, a link to the newest run.
enum LatestLink {
  /// Points the link beside a run's directory to it. A directory of that name is left alone.
  static func point(to directory: RunDirectory) {
    let link = directory.url.deletingLastPathComponent().appendingPathComponent("latest").path
    let isLink = (try? FileManager.default.destinationOfSymbolicLink(atPath: link)) != nil
    if isLink { try? FileManager.default.removeItem(atPath: link) }
    try? FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: directory.url.lastPathComponent)
  }
}
