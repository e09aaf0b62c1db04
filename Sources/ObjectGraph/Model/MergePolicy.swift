/// The rule by which a save resolves conflicts. An object is in conflict if another writer has changed or deleted it
/// since the context read it, or if another object has the same unique values.
public enum MergePolicy: Sendable, CaseIterable {
  /// The save writes nothing and throws an error that names the conflicting objects.
  case error
  /// Merges the context's and the stored version of an object. If both have changed a property, the stored value is
  /// kept.
  case mergeByPropertyStoreTrump
  /// Merges the context's and the stored version of an object. If both have changed a property, the context's value is
  /// kept.
  case mergeByPropertyObjectTrump
  /// Replaces the whole stored object by the context's object.
  case overwrite
  /// Discards the context's changes of a conflicting object, and takes the stored object.
  case rollback

  var keepsOwnChanges: Bool { self == .mergeByPropertyObjectTrump || self == .overwrite }

  /// Returns whether a property keeps the context's value when a newer version of the object is read from the store.
  ///
  /// - Parameters:
  ///   - old: The value that the context had read from the store.
  ///   - stored: The value in the newer version, which the property takes if the result is false.
  ///   - new: The present value in the context.
  func keeps(_ old: Value, _ stored: Value, _ new: Value) -> Bool {
    switch self {
    case .error, .mergeByPropertyObjectTrump: !new.isSame(as: old)
    case .mergeByPropertyStoreTrump: !new.isSame(as: old) && stored.isSame(as: old)
    case .overwrite: true
    case .rollback: false
    }
  }
}
