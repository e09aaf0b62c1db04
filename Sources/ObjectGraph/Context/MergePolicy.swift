/// The rule by which a save resolves conflicts. A conflict arises if another writer has changed or deleted an object
/// since the context read it, or if a new or changed object has unique values that another object already has.
public enum MergePolicy: Sendable, CaseIterable {
  /// The save writes nothing and throws an error that names the conflicting objects.
  case error
  /// Merges the context's and the stored version of an object by property. If both have changed a property, the store
  /// wins.
  case mergeByPropertyStoreTrump
  /// Merges the context's and the stored version of an object by property. If both have changed a property, the context
  /// wins.
  case mergeByPropertyObjectTrump
  /// Replaces the whole stored object by the context's object.
  case overwrite
  /// Discards the context's changes in favour of the stored object.
  case rollback

  var keepsOwnChanges: Bool { self == .mergeByPropertyObjectTrump || self == .overwrite }

  /// Returns whether a property keeps `new`, its value in the context. `old` is the value that the context read, and
  /// `stored` is the value that the store has now.
  func keeps(_ old: Value, _ stored: Value, _ new: Value) -> Bool {
    switch self {
    case .error, .mergeByPropertyObjectTrump: !new.isSame(as: old)
    case .mergeByPropertyStoreTrump: !new.isSame(as: old) && stored.isSame(as: old)
    case .overwrite: true
    case .rollback: false
    }
  }
}
