/// The rule by which a save resolves two kinds of conflicts: an object changed or deleted by another writer, and
/// objects with the same unique values.
public enum MergePolicy: Sendable, CaseIterable {
  /// The save writes nothing and throws an error that names the conflicting objects.
  case error
  /// Merges the context's and the stored version of an object. A property changed in both takes the stored value.
  case mergeByPropertyStoreTrump
  /// Merges the context's and the stored version of an object. A property changed in both keeps the context's value.
  case mergeByPropertyObjectTrump
  /// Replaces the whole stored object by the context's object.
  case overwrite
  /// Discards the context's changes of a conflicting object, and takes the stored object.
  case rollback

  var keepsOwnChanges: Bool { self == .mergeByPropertyObjectTrump || self == .overwrite }

  /// Returns whether a property keeps the context's value although the store has a newer version of the object.
  ///
  /// - Parameters:
  ///   - old: The value that the context read from the store.
  ///   - stored: The value now in the store.
  ///   - new: The value now in the context.
  func keeps(_ old: Value, _ stored: Value, _ new: Value) -> Bool {
    switch self {
    case .error, .mergeByPropertyObjectTrump: !new.isSame(as: old)
    case .mergeByPropertyStoreTrump: !new.isSame(as: old) && stored.isSame(as: old)
    case .overwrite: true
    case .rollback: false
    }
  }
}
