import Foundation
import StorageContract
import Testing

@testable import StorageBackends

@Suite struct MemoryCacheTests {
  @Test func withoutALimitNothingIsEvicted() throws {
    try Subject.withStore(Configuration("nscache")) { store in
      try store.commit((0..<20_000).map { .put(Tricky.record($0, "\($0)")) })
      #expect(try (0..<20_000).allSatisfy { try store.record($0, in: .records)?.name == "\($0)" })
      #expect(try store.count(in: .records) == 20_000)
    }
  }

  /// With a limit of 10, 10 of 100 records are left: acknowledged puts are lost without an error in the same process.
  /// On Linux, with equal costs, the newest are lost, because a full cache accepts nothing new.
  @Test func aLimitEvictsTheNewest() throws {
    try Subject.withStore(Configuration("nscache", ["count=10"])) { store in
      for key in Int64(0)..<100 { try store.commit([.put(Tricky.record(key, "\(key)"))]) }
      let left = try store.records(.all, in: .records)
      #expect(left == (0..<10).map { Tricky.record($0, "\($0)") })
      #expect(try store.count(in: .records) == 10)
      #expect(try store.record(99, in: .records) == nil)
      // A deletion makes room for one more.
      try store.commit([.delete(0), .put(Tricky.record(99, "again"))])
      #expect(try store.record(99, in: .records)?.name == "again")
      #expect(try store.count(in: .records) == 10)
    }
  }

  /// On Linux, the records with the least cost are lost first, and of equal ones the newest.
  @Test func aCostLimitKeepsTheLargest() throws {
    func record(_ key: Int64, _ bytes: Int) -> Change {
      .put(Record(id: key, name: "", group: "", score: 0, modified: 0, payload: Array(repeating: 1, count: bytes)))
    }
    try Subject.withStore(Configuration("nscache", ["cost=\(3 * (24 + 100))"])) { store in
      try store.commit([record(1, 100), record(2, 10), record(3, 100), record(4, 100)])
      #expect(try store.records(.all, in: .records).map(\.id) == [1, 3, 4])
      try store.commit([record(5, 100)])
      #expect(try store.records(.all, in: .records).map(\.id) == [1, 3, 4])
      #expect(try store.count(in: .records) == 3)
    }
  }

  @Test(arguments: [
    (["count=100"], nil), (["count=99"], "NSCache keeps 99 records"), (["cost=12400"], nil),
    (["cost=12399"], "NSCache keeps 12,399 logical bytes"), ([], nil),
  ])
  func tooSmallALimitHasNoRoom(_ options: [String], _ reason: String?) throws {
    let description = MemoryCacheBackend.description
    let parsed = try Options(parsing: options, specs: description.options, owner: "backend nscache")
    let lack = description.lackOfRoom(parsed, 100, 100 * (24 + 100))
    #expect(lack?.hasPrefix(reason ?? "?") == (reason == nil ? nil : true))
  }

  @Test func nothingOutlivesTheStore() throws {
    try Subject.with(Configuration("nscache")) { subject in
      try subject.withOpen { try $0.commit([.put(Tricky.record(1, "one"))]) }
      #expect(try subject.open().count(in: .records) == 0)
      #expect(try FileManager.default.contentsOfDirectory(atPath: subject.directory).isEmpty)
    }
  }
}
