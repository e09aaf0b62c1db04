import StorageContract

/// A source of the records that fill a store, in key order. Each record can be made again at any time.
///
/// Implementations keep no records that they can make again, because these would dominate the measured memory.
public protocol RecordSource: Sendable {
  /// N, the number of records.
  var count: Int { get }
  /// Returns the record at an index from 0 to `count - 1`. Keys ascend with the index.
  func record(at index: Int) -> Record
  /// Returns the key at an index.
  func key(at index: Int) -> Int64
  /// Returns the index of a key, or nil if there is none.
  func index(of key: Int64) -> Int?
  /// Returns whether a stored record equals the source's record at an index, bit for bit. A protocol requirement,
  /// because a source that keeps its records can compare without copying them.
  func isRecord(_ view: RecordView, at index: Int) -> Bool
}

extension RecordSource {
  /// Makes the record at an index again and compares it with the stored one.
  public func isRecord(_ view: RecordView, at index: Int) -> Bool { record(at: index).isIdentical(to: view) }

  /// All records, in key order.
  public var all: [Record] { (0..<count).map { record(at: $0) } }

  /// Finds the key by bisection, as keys ascend.
  public func index(of key: Int64) -> Int? {
    let index = place(ofFirstFrom: key)
    return index < count && self.key(at: index) == key ? index : nil
  }

  /// Returns the first index whose key is not less than `key`, or the number of records if all are less.
  func place(ofFirstFrom key: Int64) -> Int { (0..<count).firstPlace { self.key(at: $0) >= key } }

  /// Returns the key of the new record with a number from 0. It is above all keys of the source.
  public func unusedKey(_ number: Int) -> Int64 {
    (count == 0 ? 0 : key(at: count - 1)) &+ 1 &+ Int64(number)
  }
}

/// A source that keeps its records in memory: those of an app's model, or of a file.
public struct RecordList: RecordSource {
  private let records: [Record]

  /// Creates the source from records with unique keys.
  public init(_ records: [Record]) { self.records = records.sorted { $0.id < $1.id } }

  public var count: Int { records.count }
  public func record(at index: Int) -> Record { records[index] }
  public func key(at index: Int) -> Int64 { records[index].id }
}
