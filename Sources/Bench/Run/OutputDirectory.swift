import Foundation
import StorageContract
import StorageReport
import StorageRunFiles

/// The directory that a user names for output.
enum OutputDirectory {
  /// The flag of all commands that write into a directory.
  static let flag = "--out"

  /// Claims the directory of a new run: the one that was named, or a new one in `results`.
  ///
  /// - Parameters:
  ///   - given: The value of `--out`; nil for a new name.
  ///   - kind: What the name ends with, after the time.
  /// - Throws: `UsageError` if another run is in it, or anything else that this program has not made.
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

  /// Whether a directory can be the place of a run's stores that was ended before it was marked, or after.
  private static func isScratch(_ path: String) -> Bool {
    let names = try? FileManager.default.contentsOfDirectory(atPath: path)
    return OwnedDirectory.isMarked(path) || names?.allSatisfy { AtomicFile.writer(of: $0) != nil } == true
  }

  /// Claims the directory of files that are made from a run: new, empty, or with such files in it.
  ///
  /// - Parameters:
  ///   - given: What `--out` says.
  ///   - isOwn: Whether a directory with files in it can take these, too.
  /// - Throws: `UsageError` if nothing in it was made by this program.
  static func claim(_ given: String, isOwn: (_ path: String, _ names: [String]) throws -> Bool) throws -> OwnedDirectory
  {
    try .claim(given, flag: flag, isOwn: isOwn)
  }

  /// Sees that a short Markdown file can be written, or written anew.
  ///
  /// - Throws: `UsageError` naming what is in the way.
  static func checkMarkdown(_ path: String, flag: String) throws {
    let url = URL(fileURLWithPath: try OwnedDirectory.absolute(path, flag: flag))
    try AtomicFile.isReplaceable(url, isShortMarkdown)
    try OwnedDirectory.check(url.deletingLastPathComponent().path, flag: flag)
  }

  /// Whether a file is one that `--export-markdown` has written.
  static func isShortMarkdown(_ head: Data) -> Bool { MarkdownFormat.isShort(String(decoding: head, as: UTF8.self)) }

  /// The name of a run that nobody has named: the date and the time.
  static func stamp() -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.dateFormat = "yyyy-MM-dd-HHmmss"
    return formatter.string(from: Date())
  }
}

/// `results/latest`, a link to the newest run.
enum LatestLink {
  /// Points the link beside a run's directory to it. Anything else of that name, a link to elsewhere included, is left
  /// alone.
  static func point(to directory: RunDirectory) {
    let parent = directory.url.deletingLastPathComponent().path
    let link = "\(parent)/latest"
    if OwnedDirectory.lstat(link) != nil {
      guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: link), !target.contains("/"),
        (try? RunDirectory(path: "\(parent)/\(target)").check()) != nil
          || OwnedDirectory.lstat("\(parent)/\(target)") == nil
      else { return }
    }
    // Two runs may do this at once: each makes a link of its own, and the later one gets the name.
    let temporary = "\(parent)/.latest-\(getpid())"
    guard symlink(directory.url.lastPathComponent, temporary) == 0 else { return }
    if rename(temporary, link) != 0 { unlink(temporary) }
  }
}
