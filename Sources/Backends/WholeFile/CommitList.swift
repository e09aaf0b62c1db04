import Foundation
import StorageContract

/// A store in several files. A ``CommitList`` can replace several of these files atomically.
protocol ListedFiles: AnyObject {
  /// The names of the collections in the list of file changes, in lines such as `+ 0 items.collection 7`. A name has no
  /// spaces, because spaces separate the words of a line.
  var names: [String] { get }
  /// The path of the directory `.commit`, which contains the new files of an unfinished save.
  var staging: String { get }
  var syncsFiles: Bool { get }
  func syncNames(_ path: String) throws
  func directory(of id: RecordID) -> String
  func rename(_ path: String, to id: RecordID) throws
  func unlink(_ id: RecordID) throws
}

extension ListedFiles {
  func staged(_ number: Int) -> String { "\(staging)/\(number)" }
}

/// A list of a save's file changes, which makes the save atomic. After a crash, the next opening of the store completes
/// the changes.
struct CommitList {
  /// The source of a file change: the number that names a new file in the directory `.commit`. Nil if the change
  /// deletes a file.
  typealias Source = Int?

  private let files: any ListedFiles
  private var path: String { "\(files.staging)/list" }

  init(_ files: any ListedFiles) { self.files = files }

  /// Writes the new files of a save, and then a list of the file changes. The list commits the save.
  ///
  /// - Parameters:
  ///   - count: The number of file changes. The closures get the index of a change, from 0.
  ///   - target: A closure that returns the file of a change, and whether to delete the file. No two changes may have
  ///     the same file.
  ///   - write: A closure that writes the new file of a change to the given path.
  func prepare(
    _ count: Int, _ target: (Int) -> (RecordID, isDelete: Bool), write: (Int, String) throws -> Void
  ) throws -> [(RecordID, Source)] {
    var sources: [(RecordID, Source)] = []
    do {
      for number in 0..<count {
        let (id, isDelete) = target(number)
        sources.append((id, isDelete ? nil : number))
        if !isDelete { try write(number, files.staged(number)) }
      }
      // The new files must reach the disk before the list does, because a missing file counts as already renamed.
      try files.syncNames(files.staging)
      try writeList(sources)
    } catch {
      _ = unlink(path)
      for case (_, let number?) in sources { _ = unlink(files.staged(number)) }
      throw error
    }
    return sources
  }

  private func writeList(_ sources: [(RecordID, Source)]) throws {
    let lines = sources.map { target, number in
      "\(number.map { "+ \($0)" } ?? "-") \(files.names[target.collection]) \(target.key)\n"
    }
    let text = lines.joined() + "end \(lines.count)\n"
    try WholeFile(path: path, rewriting: .renamed).renamingWrite(Data(text.utf8), syncs: files.syncsFiles)
    try files.syncNames(files.staging)
  }

  func finish(_ sources: [(RecordID, Source)]) throws {
    var directories: Set<String> = []
    for (target, number) in sources {
      directories.insert(files.directory(of: target))
      if let number {
        // After an interrupted attempt, the file may already have its final name.
        guard access(files.staged(number), F_OK) == 0 else { continue }
        try files.rename(files.staged(number), to: target)
      } else {
        try files.unlink(target)
      }
    }
    for directory in directories { try files.syncNames(directory) }
    guard unlink(path) == 0 || errno == ENOENT else { throw StoreError(errno: errno, doing: "removing .commit/list") }
    // Without the sync, the list could reappear after a power cut and undo later saves.
    try files.syncNames(files.staging)
  }

  /// Returns the file changes of an interrupted save, to be completed by ``finish(_:)``. If no save was interrupted,
  /// deletes the remaining files in `.commit` and returns nil.
  func pending() throws -> [(RecordID, Source)]? {
    guard let data = FileManager.default.contents(atPath: path) else {
      for name in try WholeFile.entries(files.staging) { _ = unlink("\(files.staging)/\(name)") }
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
        let collection = files.names.firstIndex(of: String(words[words.count - 2]))
      else { throw damaged }
      let target = RecordID(collection: collection, key: key)
      if words.count == 3, words[0] == "-" { return (target, nil) }
      guard words.count == 4, words[0] == "+", let number = Int(words[1]) else { throw damaged }
      return (target, number)
    }
  }
}

struct RecordID: Hashable {
  let collection: Int
  let key: Int64
}

extension RecordID {
  init(_ change: Change) { self.init(collection: change.collection.index, key: change.record.id) }
}
