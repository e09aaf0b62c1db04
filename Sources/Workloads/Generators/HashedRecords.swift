import StorageContract

/// Records with hashed keys, as in YCSB. Records inserted in succession are scattered over the store.
public struct HashedRecords: RecordSource {
  private let base: any RecordSource
  /// The indices of the records in ``base``, in ascending order of the hashed keys.
  private let items: [Int32]
  private let keys: [Int64]

  /// Creates a source with the payloads of `base`. Each key is a hash of the record's index in `base`.
  public init(_ base: any RecordSource) {
    self.base = base
    let pairs = (0..<base.count).map { (key: Self.key($0), item: Int32($0)) }.sorted { $0.key < $1.key }
    items = pairs.map(\.item)
    keys = pairs.map(\.key)
  }

  /// Returns the key of the record inserted as number `item`: the absolute value of a 64-bit FNV-1a hash, as in YCSB's
  /// `Utils.fnvhash64`.
  public static func key(_ item: Int) -> Int64 {
    var hash = StableHash()
    hash.add(UInt64(item))
    // The result is that of Java's `Math.abs`, except for the smallest Int64, whose absolute value overflows.
    return Int64(clamping: Int64(bitPattern: hash.value).magnitude)
  }

  /// Returns the record inserted as number `item`, named `user` followed by the key, as in YCSB.
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
