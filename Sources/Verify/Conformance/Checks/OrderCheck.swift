import StorageContract

/// A check that a scan visits exactly the records of the requested key range, in the order of their signed keys.
struct OrderCheck: ConformanceCheck {
  static let id = "order"
  static let promise = "scans go in key order through exactly their range"
  static let steps: Steps = [check]

  @Sendable private static func check(_ subject: CheckSubject) throws {
    try subject.withStore { store in
      var content = StoreContent()
      for keys: [Int64] in [[5, -7, .max, 300, -300, 0, .min, 299, 1], [2, -8, .max - 1]] {
        try content.commit(keys.map { .put(SampleRecords.record($0, "\($0)")) }, to: store)
      }
      let ranges: [ClosedRange<Int64>] = [
        .all, -8...1, -100_000...300, 3...4, 5...5, 0...0, .max ... .max, .min ... .min, .min ... -1, 301 ... .max,
        -299 ... -8, 0...1_000_000,
      ]
      for range in ranges {
        let scanned = try collect { try store.scan(range, in: .records, $0) }
        let expected = content.records(range)
        subject.compare(scanned, expected, "a scan of \(range)")
        subject.compare(try store.records(range, in: .records), expected, "records(_:in:) of \(range)")
      }
      for limit in [1, 3] {
        var seen: [Int64] = []
        try store.scan(.all, in: .records) {
          seen.append($0.id)
          return seen.count < limit
        }
        subject.expect(
          seen == content.records().prefix(limit).map(\.id), "a scan goes on after its body has returned false")
      }
    }
  }
}
