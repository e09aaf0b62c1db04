import Foundation
import StorageContract

/// `jsonl`: JSON lines in one file, which is read as a whole when opened. Each commit appends one line and syncs it.
public final class JSONLines: StorageBackend {
  public static let description = BackendDescription(
    id: "jsonl", summary: "a file of JSON lines, one more for each save",
    safety: "No acknowledged save is lost, but the file only grows, and a flipped bit in a value goes unseen.",
    kind: { _ in .page }, engineVersion: { "JSON lines 1" },
    deviations: { _ in [Deviation(.nonFinite, "A record with an infinite number is refused, as JSON has none.")] })

  /// One change of a commit, which is an array of changes: the record to store, or an empty list for a deletion.
  private struct Line: Codable {
    var collection: Int
    var id: Int64
    var records: [Record]
  }
  private static let header = Data("\"JSON lines 1\"\n".utf8)
  private let file: FileHandle
  private var end = UInt64(header.count)
  private var tables: [[Int64: Record]]

  public static func promise(_ durability: Durability, _ options: Options) -> Promise { .level(.durable) }

  public init(opening environment: StoreEnvironment) throws {
    let url = URL(fileURLWithPath: environment.path("store.jsonl"))
    tables = environment.collections.map { _ in [:] }
    let data = FileManager.default.contents(atPath: url.path) ?? Data()
    let isOurs = data.isEmpty || data.starts(with: Self.header)
    if !isOurs { throw StoreError.damaged("store.jsonl does not begin as such a file does") }
    do {
      if data.isEmpty {  // The file and its name are synced before anything is acknowledged.
        try Self.header.write(to: url, options: .atomic)
        try FileHandle(forReadingFrom: url.deletingLastPathComponent()).synchronize()
      }
      file = try FileHandle(forUpdating: url)
    } catch { throw StoreError(error, on: "store.jsonl") }
    var rest = data.dropFirst(Self.header.count)
    while let newline = rest.firstIndex(of: UInt8(ascii: "\n")) {
      guard let lines = try? JSONDecoder().decode([Line].self, from: rest[..<newline]) else {
        if newline + 1 == data.endIndex { break }  // A power cut interrupted this commit: it was not acknowledged.
        throw StoreError.damaged("store.jsonl, byte \(rest.startIndex): not a commit")
      }
      for line in lines { tables[try checked(line.collection)][line.id] = line.records.first }
      rest = rest[(newline + 1)...]
      end = UInt64(rest.startIndex)
    }
    try file.truncate(atOffset: end)
  }
  public var settings: String { "fsync=yes" }
  public func commit(_ changes: [Change]) throws {
    let lines = try changes.map { change in
      let records = change.isDelete ? [] : [change.record]
      return Line(collection: try checked(change.collection.index), id: change.record.id, records: records)
    }
    do {
      try file.write(contentsOf: JSONEncoder().encode(lines) + Data("\n".utf8))
      try file.synchronize()
      end = try file.offset()
    } catch {
      try? file.truncate(atOffset: end)
      throw StoreError(error, on: "store.jsonl")
    }
    for line in lines { tables[line.collection][line.id] = line.records.first }
  }

  public func read(_ key: Int64, in table: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    try tables[checked(table.index)][key].map { try $0.withView(body) } != nil
  }
  public func scan(_ keys: ClosedRange<Int64>, in table: CollectionID, _ body: (RecordView) throws -> Bool) throws {
    let records = try tables[checked(table.index)].values.filter { keys.contains($0.id) }
    for record in records.sorted(by: { $0.id < $1.id }) where try !record.withView(body) { return }
  }
  public func count(in table: CollectionID) throws -> Int { try tables[checked(table.index)].count }
  public func close() throws { try file.close() }
  private func checked(_ index: Int) throws -> Int {
    if tables.indices.contains(index) { return index }
    throw StoreError.failed("there is no collection \(index)")
  }
}
