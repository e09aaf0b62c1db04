import Contract
import Foundation
import Testing

/// What every backend must do, as functions: most are run as tests in this process, those of UserDefaults in children.
enum Checks {
  static func tricky(_ subject: Subject) throws {
    let store = try subject.open()
    try store.commit(Tricky.records.map { .put($0) })
    try compare(store, subject.expectedBeforeClosing)
    try store.settle()
    try store.close()
  }

  static func trickyAgain(_ subject: Subject) throws {
    let store = try subject.open()
    try compare(store, subject.expected)
    try store.close()
  }

  private static func compare(_ store: any StorageBackend, _ expected: [Record]) throws {
    for record in expected {
      let found = try store.record(record.id, in: .records)
      #expect(found?.isIdentical(to: record) == true, "record \(record.id) '\(record.name)'")
      let isLent = try store.read(record.id, in: .records) { view in
        #expect(view.record().isIdentical(to: record), "view of \(record.id)")
      }
      #expect(isLent)
    }
    let all = try store.records(.all, in: .records)
    #expect(all.map(\.id) == expected.map(\.id))
    #expect(zip(all, expected).allSatisfy { $0.isIdentical(to: $1) })
    #expect(try store.count(in: .records) == expected.count)
    #expect(try store.count(in: CollectionID(1)) == 0)
  }

  static func changes(_ subject: Subject) throws {
    let second = CollectionID(1)
    var store = try subject.open()
    try store.commit([])
    #expect(try store.count(in: .records) == 0)
    try store.commit([.put(Tricky.record(1, "one"))])
    try store.commit([.put(Tricky.record(1, "one again"))])
    #expect(try store.count(in: .records) == 1)
    #expect(try store.record(1, in: .records)?.name == "one again")
    try store.commit([.delete(99)])
    try store.commit([
      .put(Tricky.record(2, "a")), .delete(2), .put(Tricky.record(3, "b")), .put(Tricky.record(3, "c")),
      .put(Tricky.record(1, "elsewhere"), in: second), .delete(98, in: second),
    ])
    #expect(try store.record(2, in: .records) == nil)
    #expect(try store.record(3, in: .records)?.name == "c")
    #expect(try store.record(1, in: second)?.name == "elsewhere")
    #expect(
      try store.read(2, in: .records) { _ in Issue.record("the body of an absent key was called") } == false)
    try store.commit([.delete(1)])
    try store.settle()
    try store.close()
    if subject.isStored {
      store = try subject.open()
      #expect(try store.records(.all, in: .records).map(\.name) == ["c"])
      #expect(try store.records(.all, in: second).map(\.name) == ["elsewhere"])
      try store.close()
    }
  }

  static func ranges(_ subject: Subject) throws {
    let store = try subject.open()
    let keys: [Int64] = [5, -7, .max, 300, -300, 0, .min, 299, 1]
    // Out of order, in two batches, the second between the keys of the first.
    try store.commit(keys.map { .put(Tricky.record($0, "\($0)")) })
    try store.commit([.put(Tricky.record(2, "2")), .put(Tricky.record(-8, "-8"))])
    func ids(_ range: ClosedRange<Int64>) throws -> [Int64] {
      var ids: [Int64] = []
      try store.scan(range, in: .records) {
        ids.append($0.id)
        return true
      }
      #expect(try store.records(range, in: .records).map(\.id) == ids)
      return ids
    }
    #expect(try ids(.all) == [.min, -300, -8, -7, 0, 1, 2, 5, 299, 300, .max])
    #expect(try ids(-8...1) == [-8, -7, 0, 1])
    #expect(try ids(-100_000...300) == [-300, -8, -7, 0, 1, 2, 5, 299, 300])
    #expect(try ids(3...4) == [])
    #expect(try ids(5...5) == [5])
    #expect(try ids(.max ... .max) == [.max])
    #expect(try ids(.min ... -1) == [.min, -300, -8, -7])
    #expect(try ids(301 ... .max) == [.max])
    var seen: [Int64] = []
    try store.scan(.all, in: .records) {
      seen.append($0.id)
      return seen.count < 3
    }
    #expect(seen == [.min, -300, -8])
    try store.close()
  }

  /// A body that throws gets its own error back, and the store stays usable and closable.
  static func bodyErrors(_ subject: Subject) throws {
    struct Mine: Error, Equatable {}
    let store = try subject.open()
    try store.commit([.put(Tricky.record(1, "one")), .put(Tricky.record(2, "two"))])
    #expect(throws: Mine()) { try store.read(1, in: .records) { _ in throw Mine() } }
    #expect(throws: Mine()) { try store.scan(.all, in: .records) { _ in throw Mine() } }
    try store.commit([.put(Tricky.record(3, "three"))])
    #expect(try store.count(in: .records) == 3)
    try store.close()
  }

  /// The second of two changes cannot be applied: the first must not be either, now or after opening again.
  static func allOrNothing(_ subject: Subject) throws {
    var store = try subject.open()
    try store.commit([.put(Tricky.record(1, "before"))])
    let impossible = CollectionID(7)
    #expect(throws: StoreError.self) {
      try store.commit([
        .put(Tricky.record(1, "after")), .put(Tricky.record(2, "new")), .delete(1),
        .put(Tricky.record(3, "nowhere"), in: impossible),
      ])
    }
    #expect(throws: StoreError.self) { try store.commit([.delete(1, in: CollectionID(-1))]) }
    #expect(throws: StoreError.self) { try store.count(in: impossible) }
    #expect(throws: StoreError.self) { try store.record(1, in: impossible) }
    #expect(throws: StoreError.self) { try store.scan(.all, in: impossible) { _ in true } }
    #expect(try store.records(.all, in: .records).map(\.name) == ["before"])
    try store.commit([.put(Tricky.record(4, "still works"))])
    try store.settle()
    try store.close()
    if subject.isStored {
      store = try subject.open()
      #expect(try store.records(.all, in: .records).map(\.name) == ["before", "still works"])
      try store.close()
    }
  }

  static func fixture(_ subject: Subject) throws {
    let records = subject.expected
    try subject.writeFixture(Tricky.records)
    let store = try subject.open()
    #expect(zip(try store.records(.all, in: .records), records).allSatisfy { $0.isIdentical(to: $1) })
    #expect(try store.count(in: .records) == records.count)
    try store.close()
  }

  /// Something else lies where the store should be: opening says so, and leaves it as it is.
  static func garbage(_ subject: Subject, _ bytes: Data) throws {
    try bytes.write(to: URL(fileURLWithPath: subject.file))
    do {
      let store = try subject.open()
      try store.close()
      Issue.record("garbage of \(bytes.count) bytes was opened")
    } catch StoreError.damaged {
      #expect(FileManager.default.contents(atPath: subject.file) == bytes)
    }
  }
}

extension Subject {
  /// Whether what was committed is there when opened again.
  var isStored: Bool { file != "\(directory)/store.sqlite" || FileManager.default.fileExists(atPath: file) }
}
