import Foundation
import StorageContract

/// The storage of all records as one value in UserDefaults: an archive under the key `data`.
struct DefaultsValue: RecordFile {
  let defaults: GuardedDefaults
  let path: String
  let codec: KeyedArchiveCodec
  let collections: [String]

  private static let key = "data"

  var settings: String { UserDefaultsBackend.settings }

  func load() throws -> RecordTables {
    guard let value = defaults.object(forKey: Self.key) else { return RecordTables(count: collections.count) }
    guard let data = value as? Data else {
      throw StoreError.damaged("\(UserDefaultsBackend.suite).plist holds no data under '\(Self.key)'")
    }
    return try RecordTables(codec.decode(data, collections), collections)
  }

  /// Replaces the value in UserDefaults. If the save fails, restores the old value.
  func save(_ changes: [Change], in tables: inout RecordTables) throws {
    let data = try codec.encoded(tables.sortedRecords(), of: collections)
    let before = defaults.data(forKey: Self.key)
    defaults.store(data, forKey: Self.key)
    guard !defaults.save() else { return }
    let refusal = UserDefaultsBackend.refusal(path)
    defaults.store(before, forKey: Self.key)
    throw refusal
  }
}
