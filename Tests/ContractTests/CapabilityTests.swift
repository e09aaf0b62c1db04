import Testing

@testable import StorageContract

/// A store that conforms to two capabilities, which alone may be reported as native.
private final class NativeStore: ForwardingBackend, Compacting, Concurrent {
  static let inner: any StorageBackend.Type = DictionaryStore.self
  static func openShared(_ environment: StoreEnvironment) throws -> any SharedStore {
    try SharedStoreEmulation(opening: environment, as: DictionaryStore.self)
  }

  let inner: any StorageBackend
  var compactions = 0

  init(opening environment: StoreEnvironment) throws { inner = try DictionaryStore(opening: environment) }
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
  }
}
