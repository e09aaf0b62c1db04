import Foundation
import Testing

@testable import StorageBackends
@testable import StorageContract

/// Stores that many threads share, in every native way.
@Suite struct SharedStoreTests {
  static let sharing: [Configuration] =
    [
      Configuration("sqlite-queue"), Configuration("sqlite-queue", ["pool=yes"]),
      Configuration("sqlite-queue", ["pool=yes", "read=unsafe"]), Configuration("sqlite"),
      Configuration("sqlite", ["journal=wal"]), Configuration("sqlite", ["connection=per-operation"]),
      Configuration("sqlite", ["as=apple"]), Configuration("sqlite", ["journal=memory"]), Configuration("lmdb"),
      Configuration("lmdb", ["writemap=yes"]), Configuration("lmdb", ["map=16MiB"]),
    ] + ObjectGraphBackendTests.configurations

  /// The configurations whose readers and writer do not wait for each other.
  static let unhindered = sharing.filter {
    [
      "sqlite-queue:pool=yes", "sqlite-queue:pool=yes:read=unsafe", "sqlite:journal=wal", "sqlite:as=apple", "lmdb",
      "lmdb:writemap=yes",
    ]
    .contains(([$0.backend] + $0.options).joined(separator: ":"))
  }

  private func share(_ configuration: Configuration, _ body: (any SharedStore, Subject) throws -> Void) throws {
    try Subject.with(configuration) { subject in
      let (type, _) = try configuration.resolved()
      let shared = try Capability.concurrent(opening: subject.environment(), as: type)
      #expect(shared.isNative)
      try body(shared.value, subject)
      try shared.value.close()
    }
  }

  /// Runs the body on another thread and waits for it.
  private func elsewhere(_ body: @escaping @Sendable () throws -> Void) throws {
    let outcome = Outcome()
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      outcome.error = Result { try body() }.failure
      done.signal()
    }
    done.wait()
    if let error = outcome.error { throw error }
  }

  private final class Outcome: @unchecked Sendable {
    var error: (any Error)?
  }

  @Test(arguments: sharing)
  func whatOneThreadWritesAllRead(_ configuration: Configuration) throws {
    try share(configuration) { store, subject in
      for number in 0..<20 as Range<Int64> {
        try elsewhere { try store.write { try $0.put(Tricky.record(number, "thread \(number)")) } }
        #expect(try store.read { try $0.count(in: .records) } == Int(number) + 1)
      }
      try elsewhere {
        let names = try store.read { try $0.records().map(\.name) }
        #expect(names == (0..<20).map { "thread \($0)" })
      }
      #expect(!store.settings.isEmpty)
      try store.settle()
    }
  }

  @Test(arguments: sharing)
  func whatIsSharedIsStored(_ configuration: Configuration) throws {
    guard configuration.options != ["store=memory"] else { return }
    try share(configuration) { store, subject in
      try store.write { try $0.put(Tricky.record(1, "one")) }
      _ = try store.read { try $0.count(in: .records) }
      try store.settle()
      try store.close()
      let alone = try subject.open()
      #expect(try alone.records(.all, in: .records).map(\.name) == ["one"])
      try alone.close()
      #expect(throws: StoreError.self) { try store.read { try $0.count(in: .records) } }
      #expect(throws: StoreError.self) { try store.write { try $0.delete(1) } }
    }
  }

  @Test(arguments: sharing)
  func enteringAgainIsAnErrorAndNotADeadlock(_ configuration: Configuration) throws {
    try share(configuration) { store, _ in
      #expect(throws: StoreError.self) { try store.read { _ in try store.write { try $0.delete(1) } } }
      #expect(throws: StoreError.self) { try store.write { _ in try store.write { try $0.delete(1) } } }
      #expect(throws: StoreError.self) { try store.write { _ in try store.read { try $0.count(in: .records) } } }
      #expect(throws: StoreError.self) { try store.read { _ in try store.close() } }
      try store.write { try $0.put(Tricky.record(1, "still open")) }
      #expect(try store.read { try $0.count(in: .records) } == 1)
      let kept = try store.read { $0 }
      #expect(throws: StoreError.self) { try kept.count(in: .records) }
    }
  }

  @Test(arguments: sharing)
  func aBlockThatFailsLeavesNothing(_ configuration: Configuration) throws {
    struct Refused: Error {}
    try share(configuration) { store, _ in
      try store.write { try $0.put(Tricky.record(1, "before")) }
      #expect(throws: Refused.self) {
        try store.write { transaction in
          try transaction.put(Tricky.record(1, "half"))
          try transaction.put(Tricky.record(2, "half"))
          #expect(try transaction.records().map(\.name) == ["half", "half"])
          throw Refused()
        }
      }
      #expect(try store.read { try $0.records().map(\.name) } == ["before"])
      try elsewhere {
        try store.write { try $0.put(Tricky.record(3, "after")) }
        #expect(try store.read { try $0.records().map(\.name) } == ["before", "after"])
      }
    }
  }

  @Test(arguments: unhindered)
  func aReaderKeepsItsStateWhileOthersWrite(_ configuration: Configuration) throws {
    try share(configuration) { store, _ in
      try store.write { try $0.put(Tricky.record(1, "old")) }
      try store.read { snapshot in
        #expect(try snapshot.record(1)?.name == "old")
        try elsewhere {
          try store.write { transaction in
            try transaction.put(Tricky.record(1, "new"))
            try transaction.put(Tricky.record(2, "new"))
          }
          #expect(try store.read { try $0.records().map(\.name) } == ["new", "new"])
        }
        #expect(try snapshot.records().map(\.name) == ["old"])
      }
      // A writer's changes are not visible before it ends.
      try store.write { transaction in
        try transaction.delete(2)
        try elsewhere {
          let seen = try store.read { try $0.count(in: .records) }
          #expect(seen == 2)
        }
      }
      #expect(try store.read { try $0.count(in: .records) } == 1)
    }
  }

  @Test func theMapGrowsUnderReaders() throws {
    try share(Configuration("lmdb", [], .crash)) { store, subject in
      let payload = Tricky.noise(1 << 20)
      try store.write { try $0.put(Tricky.record(0, "first", payload: payload)) }
      let isOver = Outcome()
      let done = DispatchGroup()
      for _ in 0..<3 {
        done.enter()
        Thread.detachNewThread {
          for _ in 0..<200 {
            let count = try? store.read { snapshot in
              _ = try snapshot.records(0...3)
              return try snapshot.count(in: .records)
            }
            if count != 1, count != 101 { isOver.error = StoreError.failed("a reader was hurt") }
          }
          done.leave()
        }
      }
      try store.write { transaction in
        for number in 1...100 as ClosedRange<Int64> {
          try transaction.put(Tricky.record(number, "large", payload: payload))
          #expect(try transaction.record(number)?.payload.count == 1 << 20)
        }
      }
      done.wait()
      #expect(isOver.error == nil)
      #expect(try store.read { try $0.count(in: .records) } == 101)
      try store.close()
      let alone = try subject.open()
      #expect(try alone.count(in: .records) == 101)
      // The same without other threads: 100 more in one transaction.
      try #require(alone as? any Transactional).transaction { transaction in
        for number in 101...200 as ClosedRange<Int64> {
          try transaction.put(Tricky.record(number, "large", payload: payload))
        }
        try transaction.delete(0)
        #expect(try transaction.count(in: .records) == 200)
      }
      #expect(try alone.count(in: .records) == 200)
      try alone.close()
    }
  }

  @Test func aMapOfAFixedSizeIsFullAndKeepsWhatItHad() throws {
    try share(Configuration("lmdb", ["map=1MiB"])) { store, _ in
      try store.write { try $0.put(Tricky.record(1, "kept")) }
      let large = Tricky.record(2, "too large", payload: Tricky.noise(2 << 20))
      #expect {
        try store.write { try $0.put(large) }
      } throws: {
        if case StoreError.full = $0 { true } else { false }
      }
      #expect(try store.read { try $0.records().map(\.name) } == ["kept"])
      try store.write { try $0.put(Tricky.record(2, "small")) }
      #expect(try store.read { try $0.count(in: .records) } == 2)
    }
  }
}

extension Result {
  fileprivate var failure: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}
