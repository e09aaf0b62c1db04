import CStorageInstrument
import Foundation
import StorageVerify

/// Plain system calls, and the state that a cut after them leaves. The models are based on these results.
enum PlainCalls {
  struct Row: Sendable {
    let name: String
    /// The calls, in a directory with a file `f` that holds "old" and a file `other`, both on the disk.
    let body: @Sendable (String) -> Void
    /// Whether the file `other` is changed and synced after these calls.
    var syncsOther = false
    /// The file to inspect.
    let file: String
  }

  static let rows = [
    Row(name: "new file, no sync", body: { write("new", to: "\($0)/n") }, file: "n"),
    Row(
      name: "the same, then another file's sync",
      body: { write("new", to: "\($0)/n") }, syncsOther: true, file: "n"),
    Row(name: "new file, its own sync", body: { write("new", to: "\($0)/n", syncs: true) }, file: "n"),
    Row(
      name: "written beside, renamed over, another file's sync",
      body: { replace("\($0)/f", by: "\($0)/t") }, syncsOther: true, file: "f"),
    Row(
      name: "written beside, renamed to a new name, another file's sync",
      body: { replace("\($0)/n", by: "\($0)/t") }, syncsOther: true, file: "n"),
    Row(
      name: "emptied and rewritten, still open, another file's sync",
      body: { directory in
        let file = open("\(directory)/f", O_WRONLY | O_TRUNC)
        put("new", file)
        kept.append(file)
      }, syncsOther: true, file: "f"),
    Row(
      name: "the same, closed, another file's sync",
      body: { write("new", to: "\($0)/f") }, syncsOther: true, file: "f"),
    Row(
      name: "appended, another file's sync",
      body: { directory in
        let file = open("\(directory)/f", O_WRONLY | O_APPEND)
        put("+more", file)
        close(file)
      }, syncsOther: true, file: "f"),
    Row(
      name: "written beside and synced, renamed over",
      body: { replace("\($0)/f", by: "\($0)/t", syncs: true) }, file: "f"),
    Row(
      name: "the same, and the directory's sync",
      body: { directory in
        replace("\(directory)/f", by: "\(directory)/t", syncs: true)
        let descriptor = open(directory, O_RDONLY)
        fsync(descriptor)
        close(descriptor)
      }, file: "f"),
    Row(
      name: "written beside and synced, renamed over, another file's sync",
      body: { replace("\($0)/f", by: "\($0)/t", syncs: true) }, syncsOther: true, file: "f"),
    Row(
      name: "unlinked, another file's sync",
      body: { unlink("\($0)/f") }, syncsOther: true, file: "f"),
    Row(name: "unlinked", body: { unlink("\($0)/f") }, file: "f"),
  ]

  /// The files that stay open until the cut.
  nonisolated(unsafe) private static var kept: [Int32] = []

  /// Returns the state of the file after a cut, and the models that allow it.
  static func left(_ row: Row, _ kind: DiskKind, in directory: String) throws -> (String, [String]) {
    let disk = try Disk(kind, in: directory)
    defer { disk.end() }
    let root = "\(disk.mount)/files"
    let (log, image) = ("\(directory)/calls", "\(directory)/cut")
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    write("old", to: "\(root)/f")
    write("other", to: "\(root)/other")
    try command("sync")
    let base = try ReplayedFiles(readingFrom: root)
    let watch = try CallWatch(root, log: log)
    row.body(root)
    if row.syncsOther { other(root) }
    ci_acknowledge(1)
    try disk.copy(to: image)
    _ = watch.end()
    kept.forEach { close($0) }
    kept = []
    let witness = try CutWitness(base: base, log: CallLog(log))
    return try mounted(image, kind, on: "\(directory)/left") {
      let left = try ReplayedFiles(readingFrom: "\(directory)/left/files")
      let bytes = left.files[row.file]
      let words = bytes.map { $0.isEmpty ? "0 bytes" : shown($0) } ?? "absent"
      let models = witness.explanations(of: left, afterSaves: 1)
      return (words, CutWitness.models.filter { models[$0] != nil })
    }
  }

  private static func shown(_ bytes: [UInt8]) -> String {
    let text = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    let zeros = bytes.count - text.utf8.count
    return zeros > 0 ? "\(text) and \(zeros) zero bytes" : text
  }

  private static func write(_ text: String, to path: String, syncs: Bool = false) {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    put(text, file)
    if syncs { fsync(file) }
    close(file)
  }

  private static func replace(_ target: String, by temporary: String, syncs: Bool = false) {
    write("new", to: temporary, syncs: syncs)
    rename(temporary, target)
  }

  private static func put(_ text: String, _ file: Int32) {
    _ = Array(text.utf8).withUnsafeBytes { Foundation.write(file, $0.baseAddress, $0.count) }
  }

  private static func other(_ directory: String) {
    let file = open("\(directory)/other", O_WRONLY | O_APPEND)
    put("+", file)
    fsync(file)
    close(file)
  }
}
