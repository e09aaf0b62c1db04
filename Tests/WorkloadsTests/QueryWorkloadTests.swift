import StorageContract
import Testing

@testable import StorageWorkloads

@Suite struct QueryWorkloadTests {
  private static let finding = ["find-name", "find-prefix", "find-range", "page-sorted"]
  private let source = GeneratedRecords(count: 400, bytes: 20, seed: 9)

  private func session(
    _ id: String, _ options: [String] = [], source: (any RecordSource)? = nil, store: any StorageBackend
  ) throws -> any WorkloadSession {
    let type = try #require(Workloads.all.first { $0.description.id == id })
    return try type.init(options: try type.parsed(options)).session(
      SessionContext(
        fixture: Fixture(source ?? self.source), seed: 9, recordBytes: 20, isCounting: true,
        backend: QueryingStore.self, environment: StoreEnvironment(directory: ""), open: { store }, close: { _ in }))
  }

  /// Returns the complaint of the verification about a store's answers.
  private func complaint(_ id: String, _ options: [String], _ fault: QueryingStore.Fault) throws -> String? {
    let operations = 6
    let store = QueryingStore(source.all, fault)
    let session = try session(id, options, store: store)
    return try WorkloadsTests.complaint {
      try session.run(operations: operations, block: operations)
      #expect(store.questions == (options.contains("where=app") ? 0 : operations))
      _ = try session.expectation(after: operations).check(store)
    }
  }

  @Test(arguments: finding, ["no", "yes"])
  func wrongAnswersAreNamed(id: String, index: String) throws {
    let options = ["index=\(index)"] + (id == "find-prefix" || id == "find-range" ? ["select=10%"] : [])
    func complaint(_ spoil: @escaping ([Record]) -> [Record]) throws -> String? {
      try self.complaint(id, options, QueryingStore.Fault(records: spoil))
    }
    #expect(try complaint { $0 } == nil)
    #expect(try complaint { $0.dropLast() }?.contains("is missing from the records") == true)
    #expect(try complaint { Array($0.dropFirst()) }?.contains("is missing from the records") == true)
    #expect(try complaint { _ in [] }?.contains("is missing from the records") == true)
    #expect(
      try complaint { $0 + [.sample(9_999)] } == "record 9999 is among the records \(words(id)), but should not be")
    #expect(try complaint { $0 + $0.prefix(1) }?.contains("is in the wrong position") == true)
    #expect(try complaint { $0.map { $0.with { $0.payload[2] ^= 1 } } }?.hasSuffix("has a wrong payload") == true)
    #expect(try complaint { $0.map { $0.with { $0.score += 1 } } }?.hasSuffix("has a wrong score") == true)
    if id != "find-name" {
      #expect(try complaint { $0.reversed() }?.contains("is in the wrong position among the records") == true)
    }
  }

  /// Returns the description of a workload's first query.
  private func words(_ id: String) throws -> String {
    let options = id == "find-prefix" || id == "find-range" ? ["select=10%"] : []
    let found = try WorkloadsTests.complaint {
      try session(id, options, store: QueryingStore([])).run(operations: 1, block: 1)
    }
    return String(try #require(found?.split(separator: "from the records ", maxSplits: 1).last))
  }

  @Test func aScreenAfterTheLastRecordIsTheSameAsByOffset() throws {
    // Half of the names are the same, so keys decide which of them a screen has.
    let source = RecordList(
      self.source.all.enumerated().map { index, record in
        record.with { if index.isMultiple(of: 2) { $0.name = "same" } }
      })
    for by in ["offset", "keyset"] {
      let store = QueryingStore(source.all)
      let session = try session("page-sorted", ["by=\(by)"], source: source, store: store)
      try session.run(operations: 60, block: 60)
      #expect(store.answers == Array(repeating: 20, count: 60))
      #expect(store.offsets.contains { $0 > 0 } == (by == "offset"))
    }
    #expect(
      try complaint("page-sorted", ["by=keyset"], QueryingStore.Fault(records: { Array($0.dropFirst()) }))?
        .contains("is missing from the records") == true)
  }

  @Test func wrongSectionsAreNamed() throws {
    let groups = OrderedRecords(CachedRecords(source)).sections
    let (first, last) = (try #require(groups.first), try #require(groups.last))
    func complaint(_ spoil: @escaping ([Grouped<Int>]) -> [Grouped<Int>]) throws -> String? {
      try self.complaint("sections", [], QueryingStore.Fault(counts: spoil))
    }
    #expect(groups.count > 10)
    #expect(groups.reduce(0) { $0 + $1.value } == 400)
    #expect(try complaint { $0 } == nil)
    #expect(try complaint { $0.dropLast() } == "group '\(last.group)' is missing")
    #expect(try complaint { $0.reversed() } == "group '\(first.group)' is in the wrong position")
    #expect(try complaint { $0 + [Grouped(group: "zz", value: 1)] } == "group 'zz' is there but should not be")
    #expect(
      try complaint { $0.map { Grouped(group: $0.group, value: $0.value + 1) } }
        == "group '\(first.group)' counts \(first.value + 1) records instead of \(first.value)")
  }

  @Test func wrongFiguresAreNamed() throws {
    let groups = OrderedRecords(CachedRecords(source)).groups
    let (first, last) = (try #require(groups.first), try #require(groups.last))
    func complaint(_ change: @escaping (ScoreSummary) -> ScoreSummary) throws -> String? {
      try self.complaint(
        "aggregate", [],
        QueryingStore.Fault(figures: { $0.map { Grouped(group: $0.group, value: change($0.value)) } }))
    }
    #expect(try complaint { $0 } == nil)
    #expect(
      try self.complaint("aggregate", [], QueryingStore.Fault(figures: { $0.dropLast() }))
        == "group '\(last.group)' is missing")
    let count = first.value.count
    #expect(
      try complaint { ScoreSummary(count: $0.count + 1, sum: $0.sum, minimum: $0.minimum, maximum: $0.maximum) }
        == "group '\(first.group)' has \(count + 1) scores instead of \(count)")
    #expect(
      try complaint { ScoreSummary(count: $0.count, sum: $0.sum, minimum: nil, maximum: $0.maximum) }
        == "group '\(first.group)' has the wrong least or greatest score")
    #expect(
      try complaint { ScoreSummary(count: $0.count, sum: $0.sum, minimum: $0.minimum, maximum: 1e9) }
        == "group '\(first.group)' has the wrong least or greatest score")
    #expect(
      try complaint { ScoreSummary(count: $0.count, sum: $0.sum + 0.01, minimum: $0.minimum, maximum: $0.maximum) }?
        .hasPrefix("group '\(first.group)' has the sum") == true)
    // Another order of addition is not wrong.
    #expect(
      try complaint { ScoreSummary(count: $0.count, sum: $0.sum.nextUp, minimum: $0.minimum, maximum: $0.maximum) }
        == nil)
    // With `where=app` the store is asked only for records, so its sums are ignored.
    #expect(try self.complaint("aggregate", ["where=app"], QueryingStore.Fault(figures: { _ in [] })) == nil)
  }

  @Test func sumsInTheAppAreOfWhatTheStoreHolds() throws {
    for fault in [ModelStore.Fault.changes(7) { $0.score += 0.5 }, .hides(7), .invents(.sample(401))] {
      let session = try session("aggregate", ["where=app"], store: ModelStore(source.all, fault: fault))
      #expect(throws: VerificationError.self) { try session.run(operations: 1, block: 1) }
    }
  }

  @Test(arguments: finding)
  func anIndexIsMadeWhereOneIsAskedFor(id: String) throws {
    let field: RecordField = id == "find-range" ? .score : .name
    let cases: [([String], [RecordField])] = [([], []), (["index=no"], []), (["index=yes"], [field])]
    for (options, expected) in cases {
      let store = QueryingStore(source.all)
      try session(id, options, store: store).setUp()
      #expect(store.indexed == expected)
    }
    let session = try session(id, ["index=yes"], store: QueryingStore(source.all, QueryingStore.Fault(indexes: false)))
    #expect(throws: StoreError.failed("the store makes no index of the \(field.rawValue); run this without indexes")) {
      try session.setUp()
    }
  }

  @Test(arguments: [("0.1%", 1), ("1%", 20), ("10%", 200)])
  func theShareIsFound(share: String, count: Int) throws {
    let source = GeneratedRecords(count: 2_000, bytes: 4, seed: 3)
    let target = share == "0.1%" ? 2 : count
    for id in ["find-range", "find-prefix"] {
      let store = QueryingStore(source.all)
      try session(id, ["select=\(share)"], source: source, store: store).run(operations: 20, block: 20)
      #expect(store.answers.count == 20)
      if id == "find-range" {
        #expect(store.answers.allSatisfy { $0 == target })
      } else {
        // Names begin in 16 ways and continue with digits, so prefixes of successive lengths differ by a factor of
        // about ten.
        let median = store.answers.sorted()[10]
        #expect(median >= max(1, target / 4) && median <= target * 4, "\(median)")
      }
    }
  }

  @Test(arguments: 0..<40) func theModelAgreesWithAPlainFilter(seed: UInt64) throws {
    var random = RandomStream(seed: seed)
    let texts = ["", "a", "ab", "é", "e\u{301}", "b", "ba", "東", "東京"]
    let records = (0..<random.below(40)).map { index in
      Record(
        id: Int64(index * 3), name: texts[random.below(texts.count)], group: texts[random.below(texts.count)],
        score: random.below(8) == 0 ? .nan : Double(random.below(6)), modified: 0, payload: [])
    }
    let model = OrderedRecords(CachedRecords(RecordList(records)))
    func indices(_ predicate: RecordPredicate, by order: [RecordOrder]) -> [Int] {
      let query = RecordQuery(predicate, sortedBy: order)
      return records.indices.filter { index in records[index].withView { predicate.matches($0) } }
        .sorted { query.precedes(records[$0], records[$1]) }
    }
    for text in texts {
      #expect(model.indices(named: text) == indices(.name(text), by: []))
      #expect(
        model.names[model.range(ofPrefix: text)].map(\.index)
          == indices(.namePrefix(text), by: [.ascending(.name)]))
    }
    for low in 0..<6 {
      let range = Double(low)...Double(low + random.below(3))
      #expect(model.indices(scored: range) == indices(.score(range), by: [.ascending(.score)]))
    }
    let groups = Dictionary(grouping: records) { ExactText($0.group) }.sorted { $0.key < $1.key }
    #expect(model.sections.map(\.group) == groups.map(\.key.text))
    #expect(model.sections.map(\.value) == groups.map(\.value.count))
    #expect(model.groups.map(\.value.count) == groups.map { $0.value.count { !$0.score.isNaN } })
    #expect(model.groups.map(\.value.sum) == groups.map { $0.value.map(\.score).filter { !$0.isNaN }.reduce(0, +) })
  }
}
