import Foundation
import StorageContract

/// A wrapper of UserDefaults for Foundation on Linux. An unsupported value throws an error, and does not end the
/// process.
final class GuardedDefaults {
  private let defaults: UserDefaults
  private let suite: String
  private let synchronizes: Bool

  init(suite: String, synchronizes: Bool = true) throws {
    guard let defaults = UserDefaults(suiteName: suite) else {
      throw StoreError.failed("Foundation cannot open the UserDefaults suite '\(suite)'")
    }
    self.defaults = defaults
    self.suite = suite
    self.synchronizes = synchronizes
    // The call discards values that an earlier store in this process left in memory. Without changes, the call writes
    // nothing.
    if synchronizes {
      _ = defaults.synchronize()
    } else {
      defaults.dictionaryRepresentation().keys.forEach(defaults.removeObject(forKey:))
    }
  }

  func set(_ data: Data, forKey key: String) { defaults.set(data, forKey: key) }

  /// Stores a URL or a property list value under a key. Throws ``StoreError/failed(_:)`` for any other value.
  func set(_ value: Any, forKey key: String) throws {
    if let url = value as? URL {
      guard !url.isFileURL else { return defaults.set(url, forKey: key) }
      let archive = try? NSKeyedArchiver.archivedData(withRootObject: url as NSURL, requiringSecureCoding: true)
      guard let archive else { throw StoreError.failed("\(suite).plist: \(url) cannot be archived") }
      return defaults.set(archive, forKey: key)
    }
    guard PropertyListSerialization.propertyList(value, isValidFor: .xml) else {
      throw StoreError.failed(
        "\(suite).plist: a \(type(of: value)) is not a value of a property list; archive it, and set the data")
    }
    defaults.set(value, forKey: key)
  }

  func removeObject(forKey key: String) { defaults.removeObject(forKey: key) }

  func object(forKey key: String) -> Any? { defaults.object(forKey: key) }

  func data(forKey key: String) -> Data? { defaults.data(forKey: key) }

  func bool(forKey key: String) -> Bool { defaults.bool(forKey: key) }

  func url(forKey key: String) -> URL? {
    guard let data = defaults.data(forKey: key) else { return defaults.url(forKey: key) }
    let classes: Set = [NSStringFromClass(NSURL.self)]
    guard (try? ArchivedClasses.check(data, allowing: classes, file: suite)) != nil else { return nil }
    return try? NSKeyedUnarchiver.unarchivedObject(ofClass: NSURL.self, from: data) as URL?
  }

  /// Returns all keys and values of the UserDefaults suite, including the global values that Foundation adds.
  func dictionaryRepresentation() -> [String: Any] { defaults.dictionaryRepresentation() }

  func save() -> Bool { !synchronizes || defaults.synchronize() }
}
