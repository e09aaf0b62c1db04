import StorageContract

/// A check that changes apply in order: after many random commits, the store must have the same content as a model in
/// memory.
struct ChangesCheck: ConformanceCheck {
  static let id = "changes"
  static let promise = "changes apply in order, replace what was there, and stay"
  static let steps: Steps = [write, { try $0.expectStored(StoreContent(after: history), "in another process") }]

  @Sendable private static func write(_ subject: CheckSubject) throws {
    var content = StoreContent()
    var random = SeededRandom(seed: 5)
    var store = try subject.open()
    for (number, batch) in history.enumerated() {
      try content.commit(batch, to: store)
      for _ in 0..<3 { try look(subject, store, content, Int64.random(in: -16...16, using: &random), number) }
      if number % 20 == 19 { try subject.compare(store, content, "after \(number + 1) commits") }
      if number == 30, subject.backend.leavesNothing == nil {
        try store.close()
        store = try subject.open()
      }
    }
    try store.settle()
    try subject.compare(store, content, "after settling")
    try store.close()
  }

  private static func look(
    _ subject: CheckSubject, _ store: any StorageBackend, _ content: StoreContent, _ key: Int64, _ number: Int
  ) throws {
    for index in content.collections.indices {
      let collection = CollectionID(index)
      if let expected = content.collections[index][key] {
        try subject.compare(store, expected, in: collection, "after commit \(number)")
      } else {
        let isFound = try store.read(key, in: collection) { _ in
          subject.violate("the body of an absent key is called")
        }
        let record = try store.record(key, in: collection)
        subject.expect(!isFound && record == nil, "record \(key) is there after commit \(number), although it is not")
      }
    }
  }

  private static let history: [[Change]] = {
    let second = CheckSubject.second
    var batches: [[Change]] = [
      [],
      [.put(SampleRecords.record(1, "one"))],
      [.put(SampleRecords.record(1, "one again", payload: []))],
      [.delete(99)],
      [
        .put(SampleRecords.record(2, "a")), .delete(2), .put(SampleRecords.record(3, "b")),
        .put(SampleRecords.record(3, "c")),
        .put(SampleRecords.record(1, "elsewhere"), in: second), .delete(98, in: second),
      ],
      [.delete(1)],
      [.delete(1), .delete(3), .put(SampleRecords.record(3, "d"))],
    ]
    var random = SeededRandom(seed: 7)
    while batches.count < 67 {
      let count = batches.count % 3 == 0 ? 1 : Int.random(in: 1...12, using: &random)
      batches.append(
        (0..<count).map { _ in
          let key = Int64.random(in: -15...15, using: &random)
          let collection = Bool.random(using: &random) ? CollectionID.records : second
          guard Int.random(in: 0..<4, using: &random) > 0 else { return .delete(key, in: collection) }
          let size = Int.random(in: 0...300, using: &random)
          let name = "v\(batches.count) \(size)"
          let payload = SampleRecords.noise(size, seed: random.next())
          return .put(SampleRecords.record(key, name, score: Double(size), payload: payload), in: collection)
        })
    }
    return batches
  }()
}
