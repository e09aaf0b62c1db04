import Foundation
import StorageContract

/// The records of a store in 16 files, by the last four bits of the key. A commit writes only files whose records the
/// commit changes.
final class SplitFile: RecordFile, ListedFiles {
  private let directory: String
  private let rewriting: Rewriting
  private let codecs: [any WholeFileCodec]
  private let parts: [WholeFile]
  private let collections: [String]
  let staging: String
  let names = ["store"]
  /// The file changes of a committed save that are not complete. The next load or save completes the changes.
  var waiting: [FileChange] = []
  /// The indices of the files that the last save replaced directly, and that ``putBack(_:)`` restores after a failure.
  private var replaced: [Int] = []

  private static let count = 16

  init(_ codec: any WholeFileCodec, _ rewriting: Rewriting, _ environment: StoreEnvironment) throws {
    (directory, self.rewriting, collections) = (environment.directory, rewriting, environment.collections)
    staging = environment.path(".commit")
    let name = URL(fileURLWithPath: codec.file)
    codecs = (0..<Self.count).map { number in
      var codec = codec
      codec.file = "\(name.deletingPathExtension().lastPathComponent)-\(number).\(name.pathExtension)"
      return codec
    }
    parts = codecs.map { WholeFile(path: environment.path($0.file), rewriting: rewriting) }
    if rewriting == .inPlace { return }
    if try WholeFile.makeDirectory(staging, in: directory) { try syncNames(directory) }
    waiting = try pending() ?? []
  }

  private static func part(of key: Int64) -> Int { Int(key & Int64(count - 1)) }

  var settings: String { "\(rewriting.settings) split=\(Self.count)" }

  func load() throws -> RecordTables {
    try finishWaiting()
    var lists: [[Record]] = Array(repeating: [], count: collections.count)
    for (number, part) in parts.enumerated() {
      guard let data = try part.read() else { continue }
      for (index, records) in try codecs[number].decode(data, collections).enumerated() {
        guard records.allSatisfy({ Self.part(of: $0.id) == number }) else {
          throw StoreError.damaged("\(part.name) holds a record that belongs in another file")
        }
        lists[index] += records
      }
    }
    return try RecordTables(lists, collections)
  }

  func save(_ changes: [Change], in tables: inout RecordTables) throws {
    try finishWaiting()
    replaced = []
    let numbers = Set(changes.map { Self.part(of: $0.record.id) }).sorted()
    let data = try numbers.map { try encoded($0, &tables) }
    guard numbers.count > 1, rewriting != .inPlace else {
      for (number, data) in zip(numbers, data) { try parts[number].replace(with: data) }
      replaced = numbers
      return
    }
    let fileChanges: [FileChange] = numbers.enumerated().map { (RecordPlace(collection: .records, key: Int64($1)), $0) }
    try save(fileChanges) { index, path in
      let descriptor = try WholeFile.create(path, "a file in .commit")
      try data[index].withUnsafeBytes { try WholeFile.fill(descriptor, $0, syncs: syncsFiles, "a file in .commit") }
    }
  }

  private func encoded(_ number: Int, _ tables: inout RecordTables) throws -> Data {
    try codecs[number].encoded(tables.sortedRecords { Self.part(of: $0) == number }, of: collections)
  }

  func syncDirectory() throws { if let number = replaced.first { try parts[number].syncDirectory() } }

  func putBack(_ tables: inout RecordTables) {
    for number in replaced { try? parts[number].replace(with: encoded(number, &tables)) }
  }

  // MARK: - The files of a list

  var syncsFiles: Bool { rewriting != .renamed }

  var syncsNames: Bool { rewriting == .atomicAndDirectory }

  func directory(of target: RecordPlace) -> String { directory }

  func withPath<Result>(_ target: RecordPlace, _ body: (UnsafePointer<CChar>) throws -> Result) throws -> Result {
    try part(target).path.withCString(body)
  }

  func name(_ target: RecordPlace) throws -> String { try part(target).name }

  private func part(_ target: RecordPlace) throws -> WholeFile {
    guard let number = Int(exactly: target.key), parts.indices.contains(number) else {
      throw StoreError.damaged(
        ".commit/list names a file that is not a part of the store; "
          + "restore a backup, or remove the list, which may leave the last save half done")
    }
    return parts[number]
  }
}
