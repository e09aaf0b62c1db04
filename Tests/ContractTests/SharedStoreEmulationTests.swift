import Foundation
import Testing

@testable import StorageContract

/// Transfers on several threads, and calls inside other calls, are checked by the conformance kit.
@Suite struct SharedStoreEmulationTests {
  private func open() throws -> any SharedStore {
    let opened = try Capability.concurrent(opening: StoreEnvironment(directory: ""), as: DictionaryStore.self)
    #expect(!opened.isNative)
    return opened.value
  }

  @Test func closedStoresRefuse() throws {
    let store = try open()
    #expect(store.settings == "none")
    try store.close()
    #expect(throws: StoreError.self) { try store.read { try $0.count(in: .records) } }
    #expect(throws: StoreError.self) { try store.close() }
  }

  @Test func snapshotsDoNotOutliveTheirBlock() throws {
    let store = try open()
    let kept = try store.read { $0 }
    #expect(throws: StoreError.self) { try kept.count(in: .records) }
    try store.close()
  }

  @Test func aStoreThatCannotBeOpenedIsReported() {
    #expect(throws: StoreError.damaged("as asked")) {
      try Capability.concurrent(opening: StoreEnvironment(directory: "unreadable"), as: DictionaryStore.self)
    }
  }

  @Test func droppedHandlesEndTheirThreads() throws {
    for _ in 0..<200 {
      let store = try open()
      try store.write { try $0.put(.sample(1)) }
    }
    // Threads end a little later than their handles. If they stayed, 200 of them would be listed.
    var threads = 200
    for _ in 0..<100 where threads > 150 {
      threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
      Thread.sleep(forTimeInterval: 0.02)
    }
    #expect(threads <= 150)
  }
}
