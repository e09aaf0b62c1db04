import StorageContract

/// A check that a commit with one invalid change applies no change at all.
struct AllOrNothingCheck: ConformanceCheck {
  static let id = "all-or-nothing"
  static let promise = "a commit that fails leaves what was there before"
  static let steps: Steps = [
    write, { try $0.expectStored(StoreContent(after: [before, [later]]), "in another process") },
  ]

  private static let nowhere = CollectionID(7)
  private static let before = [
    Change.put(SampleRecords.record(1, "before")), .put(SampleRecords.record(1, "there"), in: CheckSubject.second),
  ]
  private static let later = Change.put(SampleRecords.record(4, "goes on"))

  @Sendable private static func write(_ subject: CheckSubject) throws {
    try subject.withStore { store in
      var content = StoreContent()
      try content.commit(before, to: store)
      subject.expectError("a commit with a change of a collection that is not there") {
        try store.commit([
          .put(SampleRecords.record(1, "after")), .put(SampleRecords.record(2, "new")),
          .delete(1, in: CheckSubject.second),
          .put(SampleRecords.record(3, "nowhere"), in: nowhere),
        ])
      }
      try subject.compare(store, content, "after a failed commit")
      subject.expectError("a deletion in a collection that is not there") {
        try store.commit([.delete(1, in: CollectionID(-1))])
      }
      subject.expectError("count of a collection that is not there") { _ = try store.count(in: nowhere) }
      subject.expectError("record of a collection that is not there") { _ = try store.record(1, in: nowhere) }
      subject.expectError("a scan of a collection that is not there") {
        try store.scan(.all, in: nowhere) { _ in true }
      }
      try content.commit([later], to: store)
      try subject.compare(store, content, "after a failed commit and another")
      // No change of the failed commit may be applied later, when the store settles or closes.
      try store.settle()
    }
  }
}
