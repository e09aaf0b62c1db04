import Foundation
import StorageContract
import StorageReport
import StorageRunFiles

/// The directory that the user names for the output of a command.
enum OutputDirectory {
  /// The name of the option in all commands that write into a directory.
  static let flag = "--out"

  /// Claims the directory of a new run: the directory that the user names, or a new one in `results`.
  ///
  /// - Parameters:
  ///   - given: The value of `--out`; nil for a new name.
  ///   - kind: The suffix of a new directory's name, after the time.
  /// - Throws: `UsageError` if the directory contains another run, or files that this program has not made.
  static func claim(_ given: String?, kind: String = "") throws -> OwnedDirectory {
    guard let given else { return try .claimNew("results/\(stamp())\(kind)", flag: flag) }
    return try .claim(given, flag: flag) { path, names in
      let run = RunDirectory(path: path)
      guard !names.contains(run.planURL.lastPathComponent) else {
        throw UsageError("--out \(given) holds another run; give a new directory, or go on with --resume")
      }
      return RunDirectory.isUnbegun(path, names.filter { $0 != "scratch" || !isScratch("\(path)/scratch") })
    }
  }

  /// Returns whether a run made this directory for its stores. After an early end, the program's mark may be missing.
  private static func isScratch(_ path: String) -> Bool {
    let names = try? FileManager.default.contentsOfDirectory(atPath: path)
    return OwnedDirectory.isMarked(path) || names?.allSatisfy { AtomicFile.writer(of: $0) != nil } == true
  }

  /// Claims a directory for files that are made from a run, such as reports. The directory is new, empty, or has such
  /// files.
  ///
  /// - Parameters:
  ///   - given: The value of `--out`.
  ///   - isOwn: Returns whether a directory that contains files with these names may be used.
  /// - Throws: `UsageError` if this program has made none of the directory's files.
  static func claim(_ given: String, isOwn: (_ path: String, _ names: [String]) throws -> Bool) throws -> OwnedDirectory
  {
    try .claim(given, flag: flag, isOwn: isOwn)
  }

  /// Checks that the file of `--export-markdown` can be written, or replaced if this program has written it.
  ///
  /// - Throws: `UsageError` that names the obstacle.
  static func checkMarkdown(_ path: String, flag: String) throws {
    let url = URL(fileURLWithPath: try OwnedDirectory.absolute(path, flag: flag))
    try AtomicFile.isReplaceable(url, isShortMarkdown)
    try OwnedDirectory.check(url.deletingLastPathComponent().path, flag: flag)
  }

  static func isShortMarkdown(_ head: Data) -> Bool { MarkdownFormat.isShort(String(decoding: head, as: UTF8.self)) }

  /// Returns the default name of a run: the date and the time.
  static func stamp() -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.dateFormat = "yyyy-MM-dd-HHmmss"
    return formatter.string(from: Date())
  }
}

/// The link `results/latest`, which points to the newest run.
enum LatestLink {
  /// Points the link `latest` beside a run's directory to that directory. A file named `latest`, or a link to another
  /// location, is not changed.
  static func point(to directory: RunDirectory) {
    let parent = directory.url.deletingLastPathComponent().path
    let link = "\(parent)/latest"
    if OwnedDirectory.lstat(link) != nil {
      guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: link), !target.contains("/"),
        (try? RunDirectory(path: "\(parent)/\(target)").check()) != nil
          || OwnedDirectory.lstat("\(parent)/\(target)") == nil
      else { return }
    }
    // Two runs may point the link at once: each makes a separate link, and the later one gets the name.
    let temporary = "\(parent)/.latest-\(getpid())"
    guard symlink(directory.url.lastPathComponent, temporary) == 0 else { return }
    if rename(temporary, link) != 0 { unlink(temporary) }
  }
}
