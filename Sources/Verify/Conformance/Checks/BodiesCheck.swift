import StorageContract

/// A check that the closures passed to reads and scans may throw, and may read from the store.
struct BodiesCheck: ConformanceCheck {
  static let id = "bodies"
  static let promise = "a body may throw and may read, and the store stays usable"
  static let steps: Steps = [check]

  private struct Mine: Error {}

  @Sendable private static func check(_ subject: CheckSubject) throws {
    try subject.withStore { store in
      var content = StoreContent()
      let records = (0..<20).map { Change.put(SampleRecords.record($0, "old")) }
      try content.commit(records, to: store)
      for (way, body) in [
        ("read", { _ = try store.read(1, in: .records) { _ in throw Mine() } }),
        ("scan", { try store.scan(.all, in: .records) { _ in throw Mine() } }),
      ] as [(String, () throws -> Void)] {
        do {
          try body()
          subject.violate("\(way) swallows what its body throws")
        } catch is Mine {
        } catch {
          subject.violate("\(way) throws a different error from that of its body: \(error)")
        }
      }
      try nest(subject, store, content)
      try content.commit([.put(SampleRecords.record(30, "after all"))], to: store)
      try subject.compare(store, content, "after its bodies threw and read")
    }
  }

  private static func nest(_ subject: CheckSubject, _ store: any StorageBackend, _ content: StoreContent) throws {
    func inner(_ outer: RecordView) throws {
      let (id, name) = (outer.id, outer.record().name)
      let expected = content.records(10...11)
      subject.compare(try store.records(10...11, in: .records), expected, "records(_:in:) inside a body")
      try store.scan(10...11, in: .records) { view in
        if let record = try store.record(view.id, in: .records) {
          subject.compare([record], expected.filter { $0.id == record.id }, "record inside a scan inside a body")
        }
        return true
      }
      let count = try store.count(in: .records)
      subject.expect(count == content.records().count, "count inside a body is \(count)")
      // A record borrowed to a closure stays valid until the closure ends, regardless of other reads.
      subject.expect(outer.id == id && outer.record().name == name, "what was borrowed changes while its body reads")
    }
    func scan() throws {
      var visited = 0
      try store.scan(0...9, in: .records) { view in
        visited += 1
        try inner(view)
        return true
      }
      subject.expect(visited == 10, "a scan whose body reads visits \(visited) records of 10")
    }
    func read() throws { _ = try store.read(3, in: .records) { try inner($0) } }
    for (way, body) in [("scan", scan), ("read", read)] {
      if subject.backend.deviates(from: .nestedReads) {
        subject.expectError("a \(way) whose body reads (refused according to the backend's description)") { try body() }
      } else {
        try body()
      }
    }
  }
}
