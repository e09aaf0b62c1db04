import StorageContract

/// A check that bulk imports and bulk deletions have the same effect as commits.
struct BulkCheck: CapabilityCheck {
  static let id = "bulk"
  static let promise = "bulk imports and deletions do what commits do, natively and emulated"
  static let capability = Capability.bulk

  private static let predicates: [(String, RecordPredicate)] = [
    ("a name that no record has", .name("Name")),
    ("a name", .name("Name 4")),
    ("a prefix", .namePrefix("名前 1")),
    ("a group", .group("O'Brien")),
    ("scores in a group", .and([.group("g1"), .score(-1...0.5)])),
    ("not in the scores, NaN included", .not(.score(-100...100))),
    ("either", .or([.group("g2"), .name("Name 8")])),
    ("none of nothing", .or([])),
    ("everything", .everything),
    ("everything once more", .everything),
  ]

  static func script(_ store: any StorageBackend, _ subject: CheckSubject, _ transcript: inout Transcript) throws {
    let bulk = Capability.bulk(of: store).value
    func show(_ what: String, _ transcript: inout Transcript) throws {
      transcript.note("\(what): \(try store.count(in: .records))", try store.records(.all, in: .records))
      transcript.note("elsewhere", try store.records(.all, in: CheckSubject.second))
    }
    try bulk.importRecords([], into: .records)
    try show("nothing imported", &transcript)
    try bulk.importRecords(SampleRecords.grouped, into: .records)
    try show("imported", &transcript)
    // Keys before, among and after the existing keys, in random order. Some exist already, and one occurs twice.
    let others: [Int64] = [200, -7, 30, 61, 4, 200, .min, 59, .max]
    try bulk.importRecords(
      others.enumerated().map { SampleRecords.record($1, "second \($0)", group: "O'Brien", score: Double($0)) },
      into: .records)
    try bulk.importRecords(
      [SampleRecords.record(4, "Name 4"), SampleRecords.record(5, "名前 5")], into: CheckSubject.second)
    try show("imported over them", &transcript)
    if !subject.backend.deviates(from: .nonFinite) {
      try bulk.importRecords([SampleRecords.record(300, "not a number", group: "g1", score: .nan)], into: .records)
    }
    try store.commit([.put(SampleRecords.record(7, "committed", group: "g3"))])
    for (name, predicate) in predicates {
      let count = try bulk.deleteRecords(predicate, in: .records)
      try show("\(count) deleted by \(name)", &transcript)
    }
    try bulk.importRecords(
      SampleRecords.tricky.filter { tricky in
        !(tricky.group == "minus zero" && subject.backend.deviates(from: .minusZero))
          && !(tricky.name.utf8.contains(0) && subject.backend.deviates(from: .cutTexts))
      }, into: .records)
    try store.commit([.delete(3), .put(SampleRecords.record(4, "later"))])
    try show("imported into the empty one", &transcript)
  }
}
