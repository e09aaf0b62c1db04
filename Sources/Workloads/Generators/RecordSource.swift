import StorageContract

/// The records that a store starts with, in key order, each to be had again at any time.
///
/// Nothing is kept that can be made anew: a model of a million records would otherwise be what is measured.
public protocol RecordSource: Sendable {
  /// N.
  var count: Int { get }
  /// Returns the record at a place from 0 to `count - 1`. Keys ascend with the place.
  func record(at index: Int) -> Record
  /// Returns the key at a place.
  func key(at index: Int) -> Int64
  /// Returns the place of a key, or nil if there is none.
  func index(of key: Int64) -> Int?
  /// Returns whether what a store holds is the record at a place, bit for bit. A requirement, since one that keeps its
  /// records can tell without handing them out.
  func isRecord(_ view: RecordView, at index: Int) -> Bool
}

extension RecordSource {
  public func isRecord(_ view: RecordView, at index: Int) -> Bool { record(at: index).isIdentical(to: view) }

  /// All records, in key order.
  public var all: [Record] { (0..<count).map { record(at: $0) } }

  /// Returns a key that no record has and that new records may take.
  public func unusedKey(_ number: Int) -> Int64 {
    (count == 0 ? 0 : key(at: count - 1)) &+ 1 &+ Int64(number)
  }
}

/// Records that are kept: those of an app's model, or of a file.
public struct RecordList: RecordSource {
  private let records: [Record]

  /// Keeps records, whose keys must differ.
  public init(_ records: [Record]) { self.records = records.sorted { $0.id < $1.id } }

  public var count: Int { records.count }
  public func record(at index: Int) -> Record { records[index] }
  public func key(at index: Int) -> Int64 { records[index].id }

  public func index(of key: Int64) -> Int? {
    var (low, high) = (0, records.count)
    while low < high {
      let middle = (low + high) / 2
      if records[middle].id < key { low = middle + 1 } else { high = middle }
    }
    return low < records.count && records[low].id == key ? low : nil
  }
}
