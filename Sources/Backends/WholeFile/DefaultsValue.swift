import Foundation
import StorageContract

/// One value of a suite of UserDefaults, as apps keep a list of objects there: an archive under the key `data`.
struct DefaultsValue: WholeValue {
  let defaults: GuardedDefaults
  /// The suite's file.
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

  /// UserDefaults goes on holding what it could not save, to write it with the next change: what was there before is put
  /// back.
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
