import StorageContract

/// A source of the records that fill a store. Records should be made on request, to keep the measured memory small.
public protocol RecordSource: Sendable {
  /// The number of records in this source.
  var count: Int { get }
  /// Returns the record at an index from 0 to `count - 1`. Keys ascend with the index.
  func record(at index: Int) -> Record
  /// Returns the key of the record at an index from 0 to `count - 1`.
  func key(at index: Int) -> Int64
  /// Returns the index of the record with a key, or nil if there is no such record.
  func index(of key: Int64) -> Int?
  /// Returns whether a record read from a store equals the source's record at an index, bit for bit.
  func isRecord(_ view: RecordView, at index: Int) -> Bool
}

extension RecordSource {
  /// Returns whether a record read from a store equals the source's record at an index, bit for bit.
  public func isRecord(_ view: RecordView, at index: Int) -> Bool { record(at: index).isIdentical(to: view) }

  /// All records of this source, in key order.
  public var all: [Record] { (0..<count).map { record(at: $0) } }

  /// Returns the index of the record with a key, found by binary search, or nil if there is no such record.
  public func index(of key: Int64) -> Int? {
    let index = self.index(ofFirstFrom: key)
    return index < count && self.key(at: index) == key ? index : nil
  }

  /// Returns the first index whose key is `key` or greater, or the number of records if all keys are less.
  func index(ofFirstFrom key: Int64) -> Int { (0..<count).partitioningIndex { self.key(at: $0) >= key } }

  /// Returns a key above all existing keys, for a new record. Each `number` gives a different key.
  public func unusedKey(_ number: Int) -> Int64 { (count == 0 ? 0 : key(at: count - 1)) &+ 1 &+ Int64(number) }
}

/// A source of the records of another source, with some fields changed. The keys stay the same.
struct MappedRecords: RecordSource {
  let base: any RecordSource
  let change: @Sendable (inout Record) -> Void

  var count: Int { base.count }
  func key(at index: Int) -> Int64 { base.key(at: index) }
  func index(of key: Int64) -> Int? { base.index(of: key) }

  func record(at index: Int) -> Record {
    var record = base.record(at: index)
    change(&record)
    return record
  }
}

/// A source that keeps its records in memory, such as the records of a file.
public struct RecordList: RecordSource {
  private let records: [Record]

  /// Creates the source from records with unique keys, in any order.
  public init(_ records: [Record]) { self.records = records.sorted { $0.id < $1.id } }

  public var count: Int { records.count }
  public func record(at index: Int) -> Record { records[index] }
  public func key(at index: Int) -> Int64 { records[index].id }
}
