import Foundation
import Synchronization
import TestSupport
import Testing

@testable import StorageContract

@Suite struct SharedStoreEmulationTests {
  private struct Refused: Error {}

  private func open() throws -> any SharedStore {
    let opened = try Capability.concurrent(opening: StoreEnvironment(directory: ""), as: DictionaryStore.self)
    #expect(!opened.isNative)
    return opened.value
  }

  @Test func sumHoldsUnderTransfersWithFailures() throws {
    let store = try open()
    try store.write { bank in for key in 1...10 { try bank.put(.sample(Int64(key), score: 100)) } }
    let tornReads = Atomic(0)
    let transfers = Atomic(0)
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      var random = SplitMix64(seed: UInt64(thread))
      for step in 0..<200 {
        let from = Int64.random(in: 1...10, using: &random)
        let to = from % 10 + 1
        let outcome = Result {
          try store.write { bank in
            guard var debit = try bank.record(from), var credit = try bank.record(to) else { throw Refused() }
            debit.score -= 1
            try bank.put(debit)
            if step % 3 == 0 { throw Refused() }
            credit.score += 1
            try bank.put(credit)
          }
        }
        if case .success = outcome { transfers.add(1, ordering: .relaxed) }
        let sum = try? store.read { bank in try bank.records().reduce(0) { $0 + $1.score } }
        if sum != 1000 { tornReads.add(1, ordering: .relaxed) }
      }
    }
    #expect(tornReads.load(ordering: .relaxed) == 0)
    #expect(transfers.load(ordering: .relaxed) == 8 * 133)
    try store.settle()
    try store.close()
  }

  @Test func closedStoresRefuse() throws {
    let store = try open()
    #expect(store.settings == "none")
    try store.close()
    #expect(throws: StoreError.self) { try store.read { try $0.count(in: .records) } }
    #expect(throws: StoreError.self) { try store.close() }
  }

  @Test func reentryIsAnErrorAndNotADeadlock() throws {
    let store = try open()
    #expect(throws: StoreError.self) {
      try store.read { _ in try store.write { try $0.put(.sample(1)) } }
    }
    #expect(try store.read { try $0.count(in: .records) } == 0)
    try store.close()
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
