import StorageContract

/// The backend `realm`, listed only to show why it is unavailable: RealmSwift needs the Objective-C runtime, which does
/// not exist on Linux (realm-swift issues 3263, 4610, 5293).
final class RealmBackend: StorageBackend {
  private static let reason = "no Linux build of its Swift binding exists: RealmSwift needs the Objective-C runtime"

  static let description = BackendDescription(
    id: "realm", appearance: Appearance(name: "Realm", mark: 13),
    summary: "Realm's object database",
    safety: "Nothing is known, since it cannot be run here.",
    kind: { _ in .page },
    engineVersion: { "none" },
    missing: { reason },
    isDefault: false)

  static func promise(_ durability: Durability, _ options: Options) -> Promise { .unavailable(reason) }

  init(opening environment: StoreEnvironment) throws { throw StoreError.failed("realm: \(Self.reason)") }

  // These members are never called, because no store can be opened.
  let settings = ""
  func commit(_ changes: [Change]) {}
  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) -> Bool { false }
  func scan(_ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool) {}
  func count(in collection: CollectionID) -> Int { 0 }
  func close() {}
}
