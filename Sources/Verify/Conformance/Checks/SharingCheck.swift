import Foundation
import StorageContract
import Synchronization

/// A check that threads can transfer money between records without changing the total, even if transactions fail
/// halfway.
struct SharingCheck: ConformanceCheck {
  static let id = "sharing"
  static let promise = "transfers from 4 threads, some of which fail, lose no money"
  static let steps: Steps = [
    { try share($0, as: $0.backend.type) }, readBack, { try share($0, as: $0.backend.type.plain) }, readBack,
  ]
  static let dependsOnOptions = false

  private static let accounts: Int64 = 8
  private static let (threads, transfers) = (4, 40)
  private static let total = 100.0 * Double(accounts)

  private struct Injected: Error {}

  private static func share(_ subject: CheckSubject, as type: any StorageBackend.Type) throws {
    try subject.removeFiles()
    let store = try Capability.concurrent(opening: subject.environment(), as: type).value
    try store.write { transaction in
      for key in 0..<accounts { try transaction.put(SampleRecords.record(key, "account", score: 100)) }
    }
    let violations = Mutex<[String]>([])
    run { thread in
      var random = SeededRandom(seed: UInt64(thread))
      for number in 0..<transfers {
        do {
          try transfer(store, number, &random)
        } catch is Injected {
        } catch {
          violations.withLock { $0.append("a transfer throws \(error)") }
        }
        let money = try? store.read { try $0.records().reduce(0) { $0 + $1.score } }
        if money != total {
          violations.withLock { $0.append("a reader finds \(money ?? .nan) in all accounts instead of \(total)") }
        }
      }
    }
    subject.expectError("a block that enters the store again") {
      try store.read { _ in try store.write { try $0.delete(0) } }
    }
    subject.expectError("a block that reads from the store again") {
      try store.write { _ in _ = try store.read { try $0.count(in: .records) } }
    }
    let kept = try store.read { try $0.count(in: .records) }
    subject.expect(kept == accounts, "a refused block leaves \(kept) accounts of \(accounts)")
    for sentence in violations.withLock({ $0 }) { subject.violate(sentence) }
    try store.settle()
    try store.close()
    subject.expectError("a store that was closed") { _ = try store.read { try $0.count(in: .records) } }
  }

  private static func transfer(_ store: any SharedStore, _ number: Int, _ random: inout SeededRandom) throws {
    let from = Int64.random(in: 0..<accounts, using: &random)
    let to = (from + Int64.random(in: 1..<accounts, using: &random)) % accounts
    let amount = Double(Int.random(in: 1...50, using: &random))
    try store.inTransaction { transaction in
      guard var source = try transaction.record(from), source.score >= amount else { return .rollback }
      source.score -= amount
      try transaction.put(source)
      // At this point the transferred amount is in neither account.
      if number % 5 == 2 { throw Injected() }
      if number % 7 == 3 { return .rollback }
      guard var destination = try transaction.record(to) else { throw Injected() }
      destination.score += amount
      try transaction.put(destination)
      return .commit
    }
  }

  @Sendable private static func readBack(_ subject: CheckSubject) throws {
    try subject.withStore { store in
      let sum = try store.records(.all, in: .records).reduce(0) { $0 + $1.score }
      subject.expect(sum == total, "another process finds \(sum) in all accounts instead of \(total)")
    }
  }

  private static func run(_ body: @escaping @Sendable (Int) -> Void) {
    let group = DispatchGroup()
    for thread in 0..<threads {
      group.enter()
      Thread.detachNewThread {
        body(thread)
        group.leave()
      }
    }
    group.wait()
  }
}
