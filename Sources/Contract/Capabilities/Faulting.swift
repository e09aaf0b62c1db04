/// The capability to load records as faults: objects whose values are decoded only at their first use.
///
/// There is no emulation, because other engines return each record with all its fields.
public protocol Faulting: StorageBackend {
  /// Loads all records of a collection as faults, in key order.
  ///
  /// - Throws: ``StoreError``.
  func faults(in collection: CollectionID) throws -> LoadedFaults
}

/// Loaded objects whose values have not been decoded.
public struct LoadedFaults {
  /// The number of loaded objects, whether their values are decoded or not.
  public let count: Int
  /// A function that decodes the objects and returns their keys in the order of loading.
  public let keys: () throws -> [Int64]

  /// Describes loaded objects. The closure `keys` must keep the objects in memory.
  public init(count: Int, keys: @escaping () throws -> [Int64]) { (self.count, self.keys) = (count, keys) }
}
