import StorageContract

/// A source of records as in the benchmark YCSB: a key and a payload, no other fields. The key is a hash of the
/// record's number, so that neighbouring numbers are scattered over the store.
///
/// YCSB's driver uses the text `user` and the hash as the key. Here the key is the hash as a number, and `name` holds
/// the text. Records are equally scattered, but ordered as numbers, which engines compare faster than texts.
public struct HashedRecords: RecordSource {
  private let base: any RecordSource
  /// The record numbers, in ascending order of the keys.
  private let items: [Int32]
  private let keys: [Int64]

  /// Creates a source with a base source's payloads. A record's number is its index in the base source.
  public init(_ base: any RecordSource) {
    self.base = base
    let pairs = (0..<base.count).map { (key: Self.key($0), item: Int32($0)) }.sorted { $0.key < $1.key }
    items = pairs.map(\.item)
    keys = pairs.map(\.key)
  }

  /// Returns the key of a record: a hash of the record's number, as YCSB's `Utils.fnvhash64` computes it
  /// (core/src/main/java/site/ycsb/Utils.java). The hash is the 64-bit FNV-1a hash of the number's eight bytes, least
  /// significant first, without its sign.
  public static func key(_ item: Int) -> Int64 {
    var hash = StableHash()
    hash.add(UInt64(item))
    // The absolute value as in Java, except for one hash in 2^64.
    return Int64(clamping: Int64(bitPattern: hash.value).magnitude)
  }

  /// Returns a record of YCSB: the key as a number and as a text, and a payload.
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
