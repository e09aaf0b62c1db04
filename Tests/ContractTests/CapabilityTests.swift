import Testing

@testable import StorageContract

/// A store that conforms to two capabilities, which alone may be reported as native.
private final class NativeStore: StorageBackend, Compacting, Concurrent {
  static var description: BackendDescription { DictionaryStore.description }
  static func promise(_ durability: Durability, _ options: Options) -> Promise { .level(.volatile) }
  static func openShared(_ environment: StoreEnvironment) throws -> any SharedStore {
    try SharedStoreEmulation(opening: environment, as: DictionaryStore.self)
  }

  let settings = ""
  var compactions = 0

  init(opening environment: StoreEnvironment) throws {}
  func commit(_ changes: [Change]) throws {}
  func read(_ key: Int64, in: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool { false }
  func scan(_ keys: ClosedRange<Int64>, in: CollectionID, _ body: (RecordView) throws -> Bool) throws {}
  func count(in collection: CollectionID) throws -> Int { 0 }
  func close() throws {}
  func compact() throws { compactions += 1 }
}

@Suite struct CapabilityTests {
  @Test func nativeIsWhatConforms() throws {
    let native: Set<Capability> = [.compacting, .concurrent]
    for capability in Capability.allCases {
      #expect(capability.isNative(in: NativeStore.self) == native.contains(capability))
      #expect(!capability.isNative(in: DictionaryStore.self))
    }
  }

  @Test func lookUpsAgreeWithTheTypes() throws {
    let environment = StoreEnvironment(directory: "")
    let store = try NativeStore(opening: environment)
    let compacting = Capability.compacting(of: store, in: environment)
    try compacting.value.compact()
    #expect(compacting.isNative && store.compactions == 1)
    let shared = try Capability.concurrent(opening: environment, as: NativeStore.self)
    #expect(shared.isNative)
    try shared.value.close()
    #expect(!Capability.querying(of: store).isNative && !Capability.transactional(of: store).isNative)
    #expect(!Capability.relational(of: store).isNative && !Capability.migrating(of: store).isNative)
    #expect(!Capability.bulk(of: store).isNative)
  }
}
