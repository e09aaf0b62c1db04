import Foundation
import StorageContract

/// A store in several files, which a list of file changes replaces atomically, if necessary at the next opening.
protocol ListedFiles: AnyObject {
  /// The names of the collections in the list, in lines such as `+ 0 items.collection 7`. A name has no spaces.
  var names: [String] { get }
  /// The path of the directory `.commit`, which contains the new files of an unfinished save.
  var staging: String { get }
  /// The file changes of a committed save that are not complete. ``finishWaiting()`` completes the changes.
  var waiting: [FileChange] { get set }
  var syncsFiles: Bool { get }
  /// Whether directories are synced, so that the renames and deletions in them survive a power cut.
  var syncsNames: Bool { get }
  func directory(of target: RecordPlace) -> String
  /// Passes the path of a file to the body. Throws ``StoreError/damaged(_:)`` if the store cannot have such a file.
  func withPath<Result>(_ target: RecordPlace, _ body: (UnsafePointer<CChar>) throws -> Result) throws -> Result
  /// Returns the name of a file for error messages.
  func name(_ target: RecordPlace) throws -> String
}

/// A change of a file: the number of the new file in the directory `.commit`, or nil if the change deletes the file.
typealias FileChange = (target: RecordPlace, number: Int?)

extension ListedFiles {
  private var list: String { "\(staging)/list" }

  func staged(_ number: Int) -> String { "\(staging)/\(number)" }

  /// Writes the new files of a save, and then a list of the file changes, which commits the save. `changes` contains
  /// each file once, and numbers the new files by their index. `write` writes the new file with a number to the given
  /// path.
  func save(_ changes: [FileChange], write: (Int, String) throws -> Void) throws {
    do {
      for case (_, let number?) in changes { try write(number, staged(number)) }
      // The new files must reach the disk before the list does, because a missing file counts as already renamed.
      try syncNames(staging)
      let lines = changes.map { target, number in
        "\(number.map { "+ \($0)" } ?? "-") \(names[target.collection.index]) \(target.key)\n"
      }
      let text = lines.joined() + "end \(lines.count)\n"
      try WholeFile(path: list, rewriting: .renamed).renamingWrite(Data(text.utf8), syncs: syncsFiles)
      try syncNames(staging)
    } catch {
      _ = Glibc.unlink(list)
      for case (_, let number?) in changes { _ = Glibc.unlink(staged(number)) }
      throw error
    }
    // A failed rename is no error, because the list of file changes has committed the save.
    do {
      try finish(changes)
    } catch {
      waiting = changes
    }
  }

  func finishWaiting() throws {
    guard !waiting.isEmpty else { return }
    try finish(waiting)
    waiting = []
  }

  func finish(_ changes: [FileChange]) throws {
    var directories: Set<String> = []
    for (target, number) in changes {
      directories.insert(directory(of: target))
      if let number {
        // After an interrupted attempt, the file may already have its final name.
        guard access(staged(number), F_OK) == 0 else { continue }
        try rename(staged(number), to: target)
      } else {
        try unlink(target)
      }
    }
    for directory in directories { try syncNames(directory) }
    guard Glibc.unlink(list) == 0 || errno == ENOENT else {
      throw StoreError(errno: errno, doing: "removing .commit/list")
    }
    // Without the sync, the list could reappear after a power cut and undo later saves.
    try syncNames(staging)
  }

  /// Syncs a directory, if the renames and deletions in it must survive a power cut.
  func syncNames(_ path: String) throws {
    if syncsNames { try WholeFile.sync(path, "a directory") }
  }

  func rename(_ path: String, to target: RecordPlace) throws {
    guard try withPath(target, { Glibc.rename(path, $0) }) == 0 else {
      throw try StoreError(errno: errno, doing: "renaming \(name(target))")
    }
  }

  func unlink(_ target: RecordPlace) throws {
    guard try withPath(target, { Glibc.unlink($0) }) == 0 || errno == ENOENT else {
      throw try StoreError(errno: errno, doing: "removing \(name(target))")
    }
  }

  /// Returns the file changes of an interrupted save, to be completed by ``finish(_:)``. If no save was interrupted,
  /// deletes the remaining files in `.commit` and returns nil.
  func pending() throws -> [FileChange]? {
    guard let data = FileManager.default.contents(atPath: list) else {
      for name in try WholeFile.entries(staging) { _ = Glibc.unlink("\(staging)/\(name)") }
      return nil
    }
    let damaged = StoreError.damaged(
      ".commit/list is not a list of changes; "
        + "restore a backup, or remove the list, which may leave the last save half done")
    var lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
    guard let end = lines.popLast(), end == "end \(lines.count)" else { throw damaged }
    return try lines.map { line in
      let words = line.split(separator: " ")
      guard words.count >= 3, let key = Int64(words[words.count - 1]),
        let collection = names.firstIndex(of: String(words[words.count - 2]))
      else { throw damaged }
      let target = RecordPlace(collection: CollectionID(collection), key: key)
      if words.count == 3, words[0] == "-" { return (target, nil) }
      guard words.count == 4, words[0] == "+", let number = Int(words[1]) else { throw damaged }
      return (target, number)
    }
  }
}

extension RecordPlace {
  init(_ change: Change) { self.init(collection: change.collection, key: change.record.id) }
}
