/// The policy of a save for objects that others have saved since they were read here, and for new objects whose unique
/// values already exist.
public enum MergePolicy: Sendable, CaseIterable {
  /// Fails with the conflicting objects. Nothing is written.
  case error
  /// Merges by property. If a property was changed here and in the store, the store wins.
  case mergeByPropertyStoreTrump
  /// Merges by property. If a property was changed here and in the store, the change made here wins.
  case mergeByPropertyObjectTrump
  /// Replaces the whole stored object by the object here.
  case overwrite
  /// Discards the changes made here in favour of the stored object.
  case rollback

  /// Whether changes made here win.
  var keepsOwnChanges: Bool { self == .mergeByPropertyObjectTrump || self == .overwrite }

  /// Returns whether a property keeps the value that it has here.
  ///
  /// - Parameters:
  ///   - old: The value that was read.
  ///   - stored: The value that the store has now.
  ///   - new: The value here.
  func keeps(_ old: Value, _ stored: Value, _ new: Value) -> Bool {
    switch self {
    case .error, .mergeByPropertyObjectTrump: !new.isSame(as: old)
    case .mergeByPropertyStoreTrump: !new.isSame(as: old) && stored.isSame(as: old)
    case .overwrite: true
    case .rollback: false
    }
  }
}
