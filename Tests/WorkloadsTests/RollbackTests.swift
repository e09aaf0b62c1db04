import Foundation
import Testing

@testable import StorageContract
@testable import StorageWorkloads

@Suite struct RollbackTests {
  /// A store with faults in its transactions.
  private final class Careless: StorageBackend, Transactional {
    enum Fault {
      case none, keeps, swallows, commitsLater
    }

    static let description = ModelStore.description
    static func promise(_ durability: Durability, _ options: Options) -> Promise { .level(.volatile) }

    private let inner: SharedModel
    private let fault: Fault

    init(opening environment: StoreEnvironment) throws { throw StoreError.failed("not used") }

    init(_ records: [Record], _ fault: Fault) {
      inner = SharedModel(records, fault == .keeps ? .keepsFailedWrites : .none)
      self.fault = fault
    }

    var settings: String { "" }

    func transaction<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
      do {
        return try inner.write(body)
      } catch  where fault == .swallows && Result.self == Void.self {
        return () as! Result
      } catch  where fault == .commitsLater {
        // The last insert is committed after the rollback.
        try commit([.put(Record.sample(30))])
        throw error
      }
    }

    func commit(_ changes: [Change]) throws { try inner.write { try changes.forEach($0.apply) } }

    func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
      try inner.read { try $0.read(key, in: collection, body) }
    }

    func scan(_ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {
      try inner.read { try $0.scan(keys, in: collection, body) }
    }

    func count(in collection: CollectionID) throws -> Int { try inner.read { try $0.count(in: collection) } }
    func close() {}
  }

  private func complaint(_ fault: Careless.Fault) throws -> String? {
    let workload = Rollback(options: Options())
    let fixture = try workload.fixture(of: GeneratedRecords(count: 20, bytes: 20, seed: 4))
    let store = Careless(fixture.changes.map(\.record), fault)
    let session = workload.session(
      SessionContext(
        fixture: fixture, seed: 4, recordBytes: 20, isCounting: true, backend: Careless.self,
        environment: StoreEnvironment(directory: "/nonexistent"), open: { store }))
    return try WorkloadsTests.complaint {
      try session.setUp()
      for block in [0..<1, 1..<9] {
        try session.prepare(block)
        try session.perform(block) {}
        try session.verify(block)
      }
      try session.finish()
      _ = try session.expectation(after: 9).check(store)
    }
  }

  @Test func nothingIsLeft() throws { #expect(try complaint(.none) == nil) }

  @Test func whatIsLeftIsNoticed() throws {
    #expect(try complaint(.keeps) == "record 21 is there although its insertion was rolled back")
    #expect(try complaint(.swallows) == "a transaction failed after its sixth insert and was committed nevertheless")
    #expect(try complaint(.commitsLater) == "record 30 is there although its insertion was rolled back")
  }
}
