import Foundation
import StorageContract

/// The storage of all records as one value in UserDefaults: an archive under the key `data`.
struct DefaultsValue: WholeValue {
  let defaults: GuardedDefaults
  let path: String

  private static let key = "data"

  var settings: String { UserDefaultsBackend.settings }

  func read() throws -> Data? {
    guard let value = defaults.object(forKey: Self.key) else { return nil }
    guard let data = value as? Data else {
      throw StoreError.damaged("\(UserDefaultsBackend.suite).plist holds no data under '\(Self.key)'")
    }
    return data
  }

  /// Replaces the value in UserDefaults. If the save fails, restores the old value.
  func replace(with data: Data) throws {
    let before = defaults.data(forKey: Self.key)
    defaults.set(data, forKey: Self.key)
    guard !defaults.save() else { return }
    let refusal = UserDefaultsBackend.refusal(path)
    if let before { defaults.set(before, forKey: Self.key) } else { defaults.removeObject(forKey: Self.key) }
    throw refusal
  }

  func syncDirectory() {}
}
