import StorageContract

/// A source of records with hashed keys, as in the benchmark YCSB. Records inserted in succession are scattered over
/// the store.
///
/// YCSB uses texts such as `user6284781860667377211` as keys. Here, the key is only the number, and the text is the
/// name of the record.
public struct HashedRecords: RecordSource {
  private let base: any RecordSource
  /// The number of each record in the order of insertion, from 0. The array itself is in the order of the records'
  /// keys, so `items[0]` is the number of the record with the smallest key.
  private let items: [Int32]
  private let keys: [Int64]

  /// Creates a source with the payloads of `base`. Each key is a hash of the record's index in `base`.
  public init(_ base: any RecordSource) {
    self.base = base
    let pairs = (0..<base.count).map { (key: Self.key($0), item: Int32($0)) }.sorted { $0.key < $1.key }
    items = pairs.map(\.item)
    keys = pairs.map(\.key)
  }

  /// Returns the key of the record with number `item` in the order of insertion. The key is the absolute value of a
  /// 64-bit FNV-1a hash, as in YCSB.
  ///
  /// See `Utils.fnvhash64` in core/src/main/java/site/ycsb/Utils.java.
  public static func key(_ item: Int) -> Int64 {
    var hash = StableHash()
    hash.add(UInt64(item))
    // The absolute value as in Java, except for one hash in 2^64.
    return Int64(clamping: Int64(bitPattern: hash.value).magnitude)
  }

  /// Returns the record with number `item` in the order of insertion, as in the benchmark YCSB. Its name is `user`
  /// followed by its key.
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
