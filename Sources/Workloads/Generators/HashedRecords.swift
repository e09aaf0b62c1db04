import StorageContract

/// A source of records as in the benchmark YCSB. A record's key is a hash of its number in the order of insertion.
/// Records with neighbouring numbers are therefore scattered over the store.
///
/// YCSB's driver uses a text as the key: `user`, followed by the hash. Here the key is the hash as a number, and `name`
/// holds YCSB's text. The order by number scatters records equally well, and engines compare numbers faster than texts.
public struct HashedRecords: RecordSource {
  private let base: any RecordSource
  /// The numbers of the records, in ascending order of the records' keys.
  private let items: [Int32]
  private let keys: [Int64]

  /// Creates a source that takes payloads from a base source. A record's number is its index in the base source.
  public init(_ base: any RecordSource) {
    self.base = base
    let pairs = (0..<base.count).map { (key: Self.key($0), item: Int32($0)) }.sorted { $0.key < $1.key }
    items = pairs.map(\.item)
    keys = pairs.map(\.key)
  }

  /// Returns the key of a record: a hash of the record's number, as YCSB's `Utils.fnvhash64` computes it
  /// (core/src/main/java/site/ycsb/Utils.java). The key is the absolute value of the number's 64-bit FNV-1a hash. The
  /// hash takes the number's eight bytes, least significant first.
  public static func key(_ item: Int) -> Int64 {
    var hash = StableHash()
    hash.add(UInt64(item))
    // The absolute value as in Java, except for one hash in 2^64.
    return Int64(clamping: Int64(bitPattern: hash.value).magnitude)
  }

  /// Returns the record with the number `item`, as in the benchmark YCSB. Its key is a hash of the number, and its name
  /// is `user` followed by the key.
  public static func record(_ item: Int, payload: [UInt8]) -> Record {
    let key = key(item)
    return Record(id: key, name: "user\(key)", group: "", score: 0, modified: 0, payload: payload)
  }

  public var count: Int { base.count }

  public func key(at index: Int) -> Int64 { keys[index] }

  public func record(at index: Int) -> Record {
    let item = Int(items[index])
    return Self.record(item, payload: base.record(at: item).payload)
  }
}
