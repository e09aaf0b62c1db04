import StorageContract

/// A source of records in YCSB's form. The key is a hash of the item's number, so that items stored one after the other
/// are scattered. Besides the key there is only the payload.
///
/// YCSB's driver writes the key as the text `user` and the hash. Here the key is the hash as a number, and `name` holds
/// the text. Records are equally scattered, but ordered as numbers, which engines compare faster than texts.
public struct HashedRecords: RecordSource {
  private let base: any RecordSource
  /// The item numbers in ascending order of their keys.
  private let items: [Int32]
  private let keys: [Int64]

  /// Hashes the item numbers of a base source, which are its indices.
  public init(_ base: any RecordSource) {
    self.base = base
    let pairs = (0..<base.count).map { (key: Self.key($0), item: Int32($0)) }.sorted { $0.key < $1.key }
    items = pairs.map(\.item)
    keys = pairs.map(\.key)
  }

  /// Returns the key of an item: the 64-bit FNV-1a hash of the eight bytes of its number, least significant first,
  /// without its sign, as `Utils.fnvhash64` of YCSB computes it (core/src/main/java/site/ycsb/Utils.java).
  public static func key(_ item: Int) -> Int64 {
    var hash = StableHash()
    hash.add(UInt64(item))
    // The absolute value as in Java, except for one hash in 2^64.
    return Int64(clamping: Int64(bitPattern: hash.value).magnitude)
  }

  /// Returns a record of YCSB: the key as number and as text, and a payload.
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
