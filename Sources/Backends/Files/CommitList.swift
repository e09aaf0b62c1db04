import Foundation
import StorageContract

/// The list of file changes that makes a save of several records atomic. A save first writes all new files into the
/// directory `.commit`, then this list with their final paths.
///
/// The rename of the finished list commits the save. Then each file is moved to its final path. After a crash, opening
/// the store repeats all moves of the list; a repeated move has no effect.
struct CommitList {
  /// The number that names a record's new file in `.commit`, or nil if the save deletes the record.
  typealias Source = Int?

  private let files: RecordFiles
  private var path: String { "\(files.staging)/list" }

  init(_ files: RecordFiles) { self.files = files }

  /// Writes the changed records into `.commit`, then the commit list. Each key may occur only once.
  func prepare(_ changes: [Change]) throws -> [(FilePlace, Source)] {
    var sources: [(FilePlace, Source)] = []
    do {
      for (number, change) in changes.enumerated() {
        sources.append((FilePlace(change), change.isDelete ? nil : number))
        if !change.isDelete { try files.write(change.record, to: files.staged(number)) }
      }
      // The new files must reach the disk before the list does, because a missing file counts as already renamed.
      try files.syncNames(files.staging)
      try write(sources)
    } catch {
      _ = unlink(path)
      for case (_, let number?) in sources { _ = unlink(files.staged(number)) }
      throw error
    }
    return sources
  }

  private func write(_ sources: [(FilePlace, Source)]) throws {
    let lines = sources.map { target, number in
      "\(number.map { "+ \($0)" } ?? "-") \(files.names[target.collection]) \(target.key)\n"
    }
    let text = lines.joined() + "end \(lines.count)\n"
    try WholeFile(path: path, rewriting: .renamed).renamingWrite(Data(text.utf8), syncs: files.syncsFiles)
    try files.syncNames(files.staging)
  }

  func finish(_ sources: [(FilePlace, Source)]) throws {
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
    // Without this sync, the list could reappear after a power cut and undo later saves.
    try files.syncNames(files.staging)
  }

  /// Returns the commit list of an interrupted save. If there is no list, empties `.commit` and returns nil.
  func pending() throws -> [(FilePlace, Source)]? {
    guard let data = FileManager.default.contents(atPath: path) else {
      for name in try RecordFiles.entries(files.staging) { _ = unlink("\(files.staging)/\(name)") }
      return nil
    }
    let damaged = StoreError.damaged(".commit/list is not a list of changes")
    var lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
    guard let end = lines.popLast(), end == "end \(lines.count)" else { throw damaged }
    return try lines.map { line in
      let words = line.split(separator: " ")
      guard words.count >= 3, let key = Int64(words[words.count - 1]),
        let collection = files.names.firstIndex(of: String(words[words.count - 2]))
      else { throw damaged }
      let target = FilePlace(collection: collection, key: key)
      if words.count == 3, words[0] == "-" { return (target, nil) }
      guard words.count == 4, words[0] == "+", let number = Int(words[1]) else { throw damaged }
      return (target, number)
    }
  }
}
