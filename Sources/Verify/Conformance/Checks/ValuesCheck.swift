import StorageContract

/// A check that texts, numbers, dates and bytes come back unchanged, in the same process and in another.
struct ValuesCheck: ConformanceCheck {
  static let id = "values"
  static let promise = "every value comes back as it was put"
  static let steps: Steps = [write, readBack]

  @Sendable private static func write(_ subject: CheckSubject) throws {
    try subject.withStore { store in
      var content = content(subject)
      for record in content.records() { try store.commit([.put(record)]) }
      try store.commit(content.records(in: CheckSubject.second).reversed().map { .put($0, in: CheckSubject.second) })
      try subject.compare(store, content, "in the process that put it")
      if subject.backend.deviates(from: .nonFinite) {
        for record in SampleRecords.nonFinite {
          subject.expectError("a commit with \(record.group) (refused according to the backend's description)") {
            try store.commit([.put(SampleRecords.record(30)), .put(record)])
          }
        }
        try subject.compare(store, content, "after a refused commit")
      }
      try content.commit([.put(SampleRecords.record(0, "another"))], to: store)
      try subject.compare(store, content, "after one was replaced")
      try store.settle()
    }
  }

  @Sendable private static func readBack(_ subject: CheckSubject) throws {
    try subject.withStore { store in
      var content = content(subject)
      content.apply([.put(SampleRecords.record(0, "another"))])
      try subject.compare(store, content, "in another process")
      let zero = try store.record(8, in: .records)
      if subject.backend.deviates(from: .minusZero), let zero {
        subject.expect(zero.score.sign == .plus, "-0 comes back as -0, although the description says that it does not")
      }
    }
  }

  private static func content(_ subject: CheckSubject) -> StoreContent {
    let records =
      SampleRecords.tricky + SampleRecords.equal
      + (subject.backend.deviates(from: .nonFinite) ? [] : SampleRecords.nonFinite)
    return StoreContent(after: [records.map { .put($0) } + records.map { .put($0, in: CheckSubject.second) }])
  }
}
