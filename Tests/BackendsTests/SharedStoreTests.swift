import Foundation
import Testing

@testable import StorageBackends
@testable import StorageContract
@testable import StorageVerify

/// Stores that many threads share, in every native way.
@Suite struct SharedStoreTests {
  /// The configurations whose readers and writer do not wait for each other.
  static let unhindered = [
    Configuration("sqlite-queue", ["pool=yes"]), Configuration("sqlite-queue", ["pool=yes", "read=unsafe"]),
    Configuration("sqlite", ["journal=wal"]), Configuration("sqlite", ["as=apple"]), Configuration("lmdb"),
    Configuration("lmdb", ["writemap=yes"]),
  ]

  static let sharing: [Configuration] =
    unhindered + [
      Configuration("sqlite-queue"), Configuration("sqlite"), Configuration("sqlite", ["connection=per-operation"]),
      Configuration("sqlite", ["journal=memory"]), Configuration("lmdb", ["map=16MiB"]),
    ] + ObjectGraphBackendTests.configurations

  /// Runs the body on another thread and waits for it.
  private func elsewhere(_ body: @escaping @Sendable () throws -> Void) throws { try onThreads(1) { _ in try body() } }

  /// The conformance kit itself shares only stores with default options.
  @Test(arguments: sharing)
  func threadsShareAStore(_ configuration: Configuration) throws {
    try expectKept(configuration.backend, [SharingCheck.self], options: configuration.options.joined(separator: ":"))
  }

  @Test(arguments: sharing)
  func enteringAgainIsAnErrorAndNotADeadlock(_ configuration: Configuration) throws {
    try Subject.withShared(configuration) { store, _ in
      #expect(throws: StoreError.self) { try store.read { _ in try store.write { try $0.delete(1) } } }
      #expect(throws: StoreError.self) { try store.read { _ in try store.read { try $0.count(in: .records) } } }
      #expect(throws: StoreError.self) { try store.write { _ in try store.write { try $0.delete(1) } } }
      #expect(throws: StoreError.self) { try store.write { _ in try store.read { try $0.count(in: .records) } } }
      #expect(throws: StoreError.self) { try store.read { _ in try store.close() } }
      try store.write { try $0.put(Tricky.record(1, "still open")) }
      #expect(try store.read { try $0.count(in: .records) } == 1)
      let kept = try store.read { $0 }
      #expect(throws: StoreError.self) { try kept.count(in: .records) }
      try store.close()
      #expect(throws: StoreError.self) { try store.write { try $0.delete(1) } }
    }
  }

  @Test(arguments: unhindered)
  func aReaderKeepsItsStateWhileOthersWrite(_ configuration: Configuration) throws {
    try Subject.withShared(configuration) { store, _ in
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
    try Subject.withShared(Configuration("lmdb", [], .crash)) { store, subject in
      let payload = Tricky.noise(1 << 20)
      try store.write { try $0.put(Tricky.record(0, "first", payload: payload)) }
      try onThreads(4) { thread in
        guard thread == 0 else {
          for _ in 0..<200 {
            let count = try store.read { snapshot in
              _ = try snapshot.records(0...3)
              return try snapshot.count(in: .records)
            }
            if count != 1, count != 101 { throw StoreError.failed("a reader was hurt") }
          }
          return
        }
        try store.write { transaction in
          for number in 1...100 as ClosedRange<Int64> {
            try transaction.put(Tricky.record(number, "large", payload: payload))
            #expect(try transaction.record(number)?.payload.count == 1 << 20)
          }
        }
      }
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
    try Subject.withShared(Configuration("lmdb", ["map=1MiB"])) { store, _ in
      try store.write { try $0.put(Tricky.record(1, "kept")) }
      let large = Tricky.record(2, "too large", payload: Tricky.noise(2 << 20))
      let error = #expect(throws: StoreError.self) { try store.write { try $0.put(large) } }
      #expect(error?.isFull == true)
      #expect(try store.read { try $0.records().map(\.name) } == ["kept"])
      try store.write { try $0.put(Tricky.record(2, "small")) }
      #expect(try store.read { try $0.count(in: .records) } == 2)
    }
  }
}
