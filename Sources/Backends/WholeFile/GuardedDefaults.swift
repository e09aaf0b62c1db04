import Foundation
import StorageContract

/// A wrapper of UserDefaults that stores only data. On Linux, Foundation ends the process for an unsupported value.
final class GuardedDefaults {
  let defaults: UserDefaults
  let synchronizes: Bool

  init(suite: String, synchronizes: Bool = true) throws {
    guard let defaults = UserDefaults(suiteName: suite) else {
      throw StoreError.failed("Foundation cannot open the UserDefaults suite '\(suite)'")
    }
    self.defaults = defaults
    self.synchronizes = synchronizes
    // The call discards values that an earlier store in this process left in memory. Without changes, the call writes
    // nothing.
    if synchronizes {
      _ = defaults.synchronize()
    } else {
      defaults.dictionaryRepresentation().keys.forEach(defaults.removeObject(forKey:))
    }
  }

  /// Stores data under a key, or removes the key if there is no data.
  func store(_ data: Data?, forKey key: String) {
    if let data { defaults.set(data, forKey: key) } else { defaults.removeObject(forKey: key) }
  }

  func object(forKey key: String) -> Any? { defaults.object(forKey: key) }

  func data(forKey key: String) -> Data? { defaults.data(forKey: key) }

  /// Returns all keys and values of the UserDefaults suite, including the global values that Foundation adds.
  func dictionaryRepresentation() -> [String: Any] { defaults.dictionaryRepresentation() }

  func save() -> Bool { !synchronizes || defaults.synchronize() }
}
