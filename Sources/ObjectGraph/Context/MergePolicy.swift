/// The policy of a save for objects that others have saved since they were read here, and for new objects whose unique
/// values already exist.
public enum MergePolicy: Sendable, CaseIterable {
  /// It fails and tells which objects; nothing is written.
  case error
  /// Property by property, what the store has wins over what was changed here.
  case mergeByPropertyStoreTrump
  /// Property by property, what was changed here wins; what was not changed here is taken from the store.
  case mergeByPropertyObjectTrump
  /// The whole object as it is here replaces the one in the store.
  case overwrite
  /// Discards the changes made here in favour of the stored object.
  case rollback

  /// Whether changes made here survive.
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
