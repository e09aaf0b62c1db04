import StorageContract

/// A check that a backend's own queries (find, count, sum) give the same answers as filtering all records.
struct QueryCheck: CapabilityCheck {
  static let id = "queries"
  static let promise = "queries give the same natively and emulated"
  static let capability = Capability.querying

  private static let predicates: [(String, RecordPredicate)] = [
    ("everything", .everything),
    ("a name", .name("名前 7")),
    ("a name that no record has", .name("名前")),
    ("the empty name", .name("")),
    ("composed é", .name("é")),
    ("decomposed é", .name("e\u{301}")),
    ("a prefix", .namePrefix("名前 1")),
    ("a prefix in another letter case", .namePrefix("name 1")),
    ("a prefix with SQL's wildcards", .namePrefix("100%")),
    ("the empty prefix", .namePrefix("")),
    ("what follows a name and key", .after(name: "Name 3", key: 3)),
    ("what follows a composed name", .after(name: "é", key: 0)),
    ("what does not follow a name and key", .not(.after(name: "Name 3", key: 3))),
    ("a group", .group("O'Brien")),
    ("a group in another letter case", .group("o'brien")),
    ("scores", .score(-1.5...3.25)),
    ("all scores", .score(-.infinity ... .infinity)),
    ("and", .and([.group("g1"), .score(0...5)])),
    ("and of none", .and([])),
    ("or", .or([.name("Name 3"), .group("O'Brien")])),
    ("or of none", .or([])),
    ("not", .not(.group("g1"))),
    ("not in the scores, NaN included", .not(.score(-100...100))),
    ("nested", .or([.and([.not(.group("g0")), .score(1...9)]), .namePrefix("N")])),
  ]

  private static let orders: [(String, [RecordOrder])] = [
    ("by key", []),
    ("by name", [.ascending(.name)]),
    ("by group, then score downwards", [.ascending(.group), .descending(.score)]),
    ("by key downwards", [.descending(.key)]),
    ("by date", [.ascending(.modified)]),
    ("by date downwards", [.descending(.modified)]),
  ]

  static func script(_ store: any StorageBackend, _ subject: CheckSubject, _ transcript: inout Transcript) throws {
    var records = SampleRecords.grouped
    let named: [(String, Double)] = [
      ("é", 1.5), ("e\u{301}", 0.25), ("100% sure", -2), ("100 percent", 4), ("", 8),
    ]
    for (name, score) in named {
      let key = Int64(100 + records.count)
      records.append(SampleRecords.record(key, name, group: "O'Brien", score: score))
    }
    if !subject.backend.deviates(from: .nonFinite) {
      records.append(SampleRecords.record(300, "not a number", group: "g1", score: .nan))
    }
    try store.commit(records.map { .put($0) })
    // No query may return this record, because it is in another collection.
    try store.commit([.put(SampleRecords.record(7, "名前 7"), in: CheckSubject.second)])
    let querying = Capability.querying(of: store).value
    // Indexes must not change the results.
    for isIndexed in [false, true] {
      if isIndexed {
        for field in [RecordField.name, .group, .score] { _ = try querying.index(field, in: .records) }
      }
      try ask(querying, &transcript)
      try store.commit([.put(SampleRecords.record(1, "changed", group: "g9", score: 2)), .delete(3)])
      try ask(querying, &transcript)
    }
  }

  private static func ask(_ querying: any Querying, _ transcript: inout Transcript) throws {
    for (name, predicate) in predicates {
      transcript.note("count of \(name)") { "\(try querying.count(predicate, in: .records))" }
      transcript.note(name, try querying.records(RecordQuery(predicate)))
      transcript.note("groups of \(name)") {
        try querying.countByGroup(predicate, in: .records).map { "\($0.group) \($0.value)" }.joined(separator: ", ")
      }
      transcript.note("sum of \(name)") { "\(try querying.summary(predicate, in: .records))" }
      transcript.note("sums by group of \(name)") {
        try querying.summaryByGroup(predicate, in: .records).map { "\($0.group) \($0.value)" }.joined(separator: ", ")
      }
    }
    for (name, order) in orders {
      for (limit, offset) in [(nil, 0), (5, 0), (5, 7), (0, 0), (1_000, 60), (3, 1_000)] {
        let query = RecordQuery(.not(.group("g2")), sortedBy: order, limit: limit, offset: offset)
        transcript.note("\(name), \(limit ?? -1) from \(offset)", try querying.records(query))
      }
    }
    var seen = 0
    try querying.find(RecordQuery(.everything), in: .records) { _ in
      seen += 1
      return seen < 4
    }
    transcript.note("visited until told to stop: \(seen)")
  }
}
