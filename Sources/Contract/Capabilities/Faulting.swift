/// The capability to load records as faults, as in Core Data: objects whose values are decoded only at their first use.
public protocol Faulting: StorageBackend {
  /// Loads all records of a collection in key order, without decoding their values.
  ///
  /// - Throws: ``StoreError``.
  func faults(in collection: CollectionID) throws -> LoadedFaults
}

/// Records that were loaded as objects whose values are decoded only at their first use.
public struct LoadedFaults {
  /// The number of records that were loaded as objects.
  public let count: Int
  /// A closure that decodes all loaded records and returns their keys, in the order of loading.
  public let keys: () throws -> [Int64]

  /// Creates the result of loading `count` records. The closure `keys` decodes the loaded records and returns their
  /// keys.
  public init(count: Int, keys: @escaping () throws -> [Int64]) { (self.count, self.keys) = (count, keys) }
}
