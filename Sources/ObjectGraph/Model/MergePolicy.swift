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

  /// Returns whether a merge keeps the context's value of a property. The merge combines an object in a context with a
  /// newer version of the object from the store. `old` is the value that the context had read from the store, `new` is
  /// the context's present value, and `stored` is the value in the newer version. If the result is false, the property
  /// takes `stored`.
  func keeps(_ old: Value, _ stored: Value, _ new: Value) -> Bool {
    switch self {
    case .error, .mergeByPropertyObjectTrump: !new.isSame(as: old)
    case .mergeByPropertyStoreTrump: !new.isSame(as: old) && stored.isSame(as: old)
    case .overwrite: true
    case .rollback: false
    }
  }
}
