import StorageContract

/// A check that large texts and payloads (up to 1 MB) come back unchanged and can be replaced by small ones.
struct LargeValuesCheck: ConformanceCheck {
  static let id = "large-values"
  static let promise = "values of 1 MB come back as they were put"
  static let steps: Steps = [write, readBack]

  @Sendable private static func write(_ subject: CheckSubject) throws {
    try subject.withStore { store in
      for record in SampleRecords.large { try store.commit([.put(record)]) }
      subject.compare(
        try store.records(.all, in: .records), SampleRecords.large, "records(_:in:) in the process that put it")
      try store.settle()
    }
  }

  @Sendable private static func readBack(_ subject: CheckSubject) throws {
    try subject.withStore { store in
      for record in SampleRecords.large { try subject.compare(store, record, in: .records, "in another process") }
      var content = StoreContent()
      try content.commit((0..<5).map { .put(SampleRecords.record($0, "small")) }, to: store)
      try subject.compare(store, content, "after they were replaced")
    }
  }
}
