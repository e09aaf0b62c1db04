import StorageContract

/// The records that a store starts with, in key order, each to be had again at any time.
///
/// Nothing is kept that can be made anew: a model of a million records would otherwise be what is measured.
public protocol RecordSource: Sendable {
  /// N.
  var count: Int { get }
  /// The record at a place from 0 to `count - 1`. Keys ascend with the place.
  func record(at index: Int) -> Record
  /// The key at a place.
  func key(at index: Int) -> Int64
  /// The place of a key, or nil if there is none.
  func index(of key: Int64) -> Int?
}

extension RecordSource {
  /// All records, in key order.
  public var all: [Record] { (0..<count).map { record(at: $0) } }

  /// A key that no record has and that new records may take.
  public func unusedKey(_ number: Int) -> Int64 {
    (count == 0 ? 0 : key(at: count - 1)) &+ 1 &+ Int64(number)
  }
}
