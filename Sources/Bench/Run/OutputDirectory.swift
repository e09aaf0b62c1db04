import Foundation
import StorageContract
import StorageReport
import StorageRunFiles

/// The directory that the user names with `--out` for the output of a command.
enum OutputDirectory {
  static let flag = "--out"

  /// Reserves the directory of a new run: the value of `--out`, or a new directory in `results` with the suffix `kind`.
  ///
  /// - Throws: `UsageError` if the directory contains another run, or files that this program has not made.
  static func claim(_ given: String?, kind: String = "") throws -> OwnedDirectory {
    guard let given else { return try .claimNew("results/\(stamp())\(kind)", flag: flag) }
    return try .claim(given, flag: flag) { path, names in
      let run = RunDirectory(path: path)
      guard !names.contains(run.planURL.lastPathComponent) else {
        throw UsageError(
          "--out \(given) holds another run; give a new directory, or finish that run with: "
            + "\(Program.name) run --resume \(ShellWords.quoted(given))")
      }
      return run.isUnbegun(names.filter { $0 != "scratch" || !isScratch("\(path)/scratch") })
    }
  }

  /// Returns whether this program made the directory `path` for the stores of a run.
  private static func isScratch(_ path: String) -> Bool {
    let names = try? FileManager.default.contentsOfDirectory(atPath: path)
    return OwnedDirectory.mark(of: path) != nil || names?.allSatisfy { AtomicFile.writer(of: $0) != nil } == true
  }

  static func checkMarkdown(_ path: String, flag: String) throws {
    let url = URL(fileURLWithPath: try OwnedDirectory.absolute(path, flag: flag))
    try AtomicFile.isReplaceable(url, isShortMarkdown)
    try OwnedDirectory.check(url.deletingLastPathComponent().path, flag: flag)
  }

  static func isShortMarkdown(_ head: Data) -> Bool { MarkdownFormat.isShort(String(decoding: head, as: UTF8.self)) }

  static func stamp() -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.dateFormat = "yyyy-MM-dd-HHmmss"
    return formatter.string(from: Date())
  }

  /// Makes the link `latest` beside a run point to it, unless `latest` is a file or links to no run.
  static func linkLatest(to directory: RunDirectory) {
    let parent = directory.url.deletingLastPathComponent().path
    let link = "\(parent)/latest"
    if OwnedDirectory.lstat(link) != nil {
      guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: link), !target.contains("/"),
        (try? RunDirectory(path: "\(parent)/\(target)").check()) != nil
          || OwnedDirectory.lstat("\(parent)/\(target)") == nil
      else { return }
    }
    // Two runs may do this at once, so each run makes a separate temporary link.
    let temporary = "\(parent)/.latest-\(getpid())"
    guard symlink(directory.url.lastPathComponent, temporary) == 0 else { return }
    if rename(temporary, link) != 0 { unlink(temporary) }
  }
}
