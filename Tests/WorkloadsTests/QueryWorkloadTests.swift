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
    typealias Figures = (count: Int, sum: Double, minimum: Double?, maximum: Double?)
    func complaint(_ change: @escaping (inout Figures) -> Void) throws -> String? {
      let fault = QueryingStore.Fault(figures: { groups in
        groups.map { group in
          var new: Figures = (group.value.count, group.value.sum, group.value.minimum, group.value.maximum)
          change(&new)
          let value = ScoreSummary(count: new.count, sum: new.sum, minimum: new.minimum, maximum: new.maximum)
          return Grouped(group: group.group, value: value)
        }
      })
      return try self.complaint("aggregate", [], fault)
    }
    #expect(try complaint { _ in } == nil)
    #expect(
      try self.complaint("aggregate", [], QueryingStore.Fault(figures: { $0.dropLast() }))
        == "group '\(last.group)' is missing")
    let count = first.value.count
    let extremes = "group '\(first.group)' has the wrong least or greatest score"
    #expect(try complaint { $0.count += 1 } == "group '\(first.group)' has \(count + 1) scores instead of \(count)")
    #expect(try complaint { $0.minimum = nil } == extremes)
    #expect(try complaint { $0.maximum = 1e9 } == extremes)
    #expect(try complaint { $0.sum += 0.01 }?.hasPrefix("group '\(first.group)' has the sum") == true)
    // Another order of addition is not wrong.
    #expect(try complaint { $0.sum = $0.sum.nextUp } == nil)
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

@Suite struct FindPrefixTests {
  /// Tries every prefix, as in the definition.
  private func searched(_ name: String, _ target: Int, _ names: [String]) -> String {
    var (best, distance) = (name, Int.max)
    var rest = name.unicodeScalars
    while !rest.isEmpty {
      let prefix = String(rest)
      let missed = abs(names.filter { $0.utf8.starts(with: prefix.utf8) }.count - target)
      if missed < distance { (best, distance) = (prefix, missed) }
      rest.removeLast()
    }
    return best
  }

  private func model(_ names: [String]) -> OrderedRecords {
    let records = names.enumerated().map {
      Record(id: Int64($0), name: $1, group: "", score: 0, modified: 0, payload: [])
    }
    return OrderedRecords(CachedRecords(RecordList(records), keeps: true))
  }

  @Test func theStartIsTheOneOfASearchThroughAll() {
    let names =
      ["a", "ab", "abc", "abd", "b", "", "é", "e\u{301}", "e\u{301}x", "ab\r\nc", "abcd", "🧑🏽‍🚀"]
      + (0..<40).map { "a\($0 % 7)b\($0)" }
    let model = model(names)
    for name in names {
      for target in 0...names.count {
        #expect(FindPrefix.prefix(of: name, finding: target, in: model) == searched(name, target, names))
      }
    }
  }

  @Test func longNamesTakeFewComparisons() {
    // A search through all prefixes would compare 5 x 100,000 of up to 100,000 bytes.
    let names = (0..<5).map { String(repeating: "x", count: 100_000) + "\($0)" }
    let model = model(names)
    for name in names { #expect(FindPrefix.prefix(of: name, finding: 1, in: model) == name) }
  }
}

@Suite struct SecondaryIndexTests {
  private let source = GeneratedRecords(count: 60, bytes: 20, seed: 4)

  /// A store whose queries leave out the first record, as with a damaged index.
  private final class Incomplete: QueryingStore {
    required init(opening environment: StoreEnvironment) throws {
      super.init(over: try ModelStore(opening: environment), Fault(records: { Array($0.dropFirst()) }))
    }
  }

  @Test(arguments: ["save-one", "insert-one", "delete-one", "mix"])
  func anIndexWithoutARecordIsNoticed(workload: String) throws {
    let trial = try WorkloadTrial(workload, options: ["indexes=3"], source: source, backend: Incomplete.self)
    let found = try complaint {
      let session = try trial.session()
      try session.setUp()
      try session.prepare(0..<2)
      try session.perform(0..<2) {}
      try session.finish()
    }
    #expect(found == "a query by modified finds 19 of 20 records")
  }

  /// Creating the indexes reads the whole store, which a cold trial must not find in memory.
  @Test(arguments: [([], 1), (["indexes=1"], 2)])
  func theStoreIsReopenedOnceItsIndexesExist(options: [String], openings: Int) throws {
    let trial = try WorkloadTrial("save-one", options: options, source: source, backend: Incomplete.self)
    try trial.session().setUp()
    #expect(trial.disk.openings == openings)
  }

  @Test func severalChangesAreOfDifferentRecords() throws {
    let trial = try WorkloadTrial("save-one", options: ["changes=10"], source: source, backend: ModelStore.self)
    let session = try trial.session()
    #expect(session.bytesChanged(by: 3) == 3 * 10 * (20 + 8))
    let changed = zip(try session.expectation(after: 1).records(), source.all).count { !$0.isIdentical(to: $1) }
    #expect(changed == 10)
    // More changes than records are all records.
    let all = try WorkloadTrial("save-one", options: ["changes=1000"], source: source, backend: ModelStore.self)
      .session()
    #expect(all.bytesChanged(by: 1) == 60 * (20 + 8))
  }
}

@Suite struct FindTextTests {
  @Test func wordsAreFoundAndSavesCheck() throws {
    #expect(try WorkloadTrial("find-text", options: ["do=save"]).complaint(operations: 30) == nil)
    #expect(try WorkloadTrial("find-text", source: RecordList([.sample(1)])).complaint(operations: 12) == nil)
  }

  /// Rare words are in about five texts and absent words in none. Words inside are only parts of longer ones.
  @Test func theWordsMatchTheirDescription() throws {
    let records = GeneratedTexts.records(of: GeneratedRecords(count: 200, bytes: 4, seed: 1), length: 2_000)
    let texts = GeneratedTexts(records: 200, length: 2_000)
    let model = TextModel(records)
    let counts = (0..<texts.rareWords).map { model.indices(of: GeneratedTexts.rareWord($0)).count }
    #expect(counts.reduce(0, +) > 400 && counts.max()! < 25)
    #expect((0..<50).allSatisfy { model.indices(of: GeneratedTexts.absentWord($0)).isEmpty })
    #expect((0..<2).allSatisfy { model.indices(of: GeneratedTexts.wordInside($0)).isEmpty })
    #expect(records.all.contains { $0.name.contains(GeneratedTexts.wordInside(1)) })
    #expect(records.all.allSatisfy { (2_000..<2_200).contains($0.name.utf8.count) })
    #expect(model.indices(of: "the").count > 190)
    // The model and the definition find the same texts for every word.
    for word in ["the", "resume", "Résumé", "4", "42", "記", "🌿"] + (0..<40).map(GeneratedTexts.rareWord) {
      let found = records.all.indices.filter { index in
        records.record(at: index).withView { TextWord(word).isIn($0.name) }
      }
      #expect(found == model.indices(of: word), "\(word)")
    }
  }

  @Test func wrongAnswersAreNamed() throws {
    #expect(try WorkloadTrial("find-text", backend: FindsInside.self).complaint(operations: 20) != nil)
    #expect(
      try WorkloadTrial("find-text", backend: FindsLess.self).complaint(operations: 20)?
        .contains("is missing from the records with the word") == true)
    // The old index finds a record by a removed word, misses a new word, or finds an unchanged word with the old text.
    let old = try WorkloadTrial("find-text", options: ["do=save"], backend: KeepsOldWords.self).complaint(operations: 8)
    #expect(old?.contains("found by the word") == true || old?.contains("has a wrong name") == true, "\(old ?? "")")
  }
}

/// A store with its own search for words.
private class Searching: Faulty, TextSearching {
  class func indexesWords(_ options: Options) -> Bool { false }
  func indexWords(in collection: CollectionID) throws {}
  func records(holding word: TextWord, in collection: CollectionID) throws -> [Record] {
    try Capability.textSearching(of: inner).value.records(holding: word, in: collection)
  }
}

/// A store that takes parts of words for words.
private final class FindsInside: Searching {
  override func records(holding word: TextWord, in collection: CollectionID) throws -> [Record] {
    try inner.records(.all, in: collection).filter { $0.name.contains(word.text) }
  }
}

/// A store that leaves out the last record it has found.
private final class FindsLess: Searching {
  override func records(holding word: TextWord, in collection: CollectionID) throws -> [Record] {
    try super.records(holding: word, in: collection).dropLast()
  }
}

/// A store whose index is not changed by saves.
private final class KeepsOldWords: Searching {
  private lazy var old = (try? inner.records(.all, in: .records)) ?? []
  override func commit(_ changes: [Change]) throws {
    _ = old
    try super.commit(changes)
  }
  override func records(holding word: TextWord, in collection: CollectionID) throws -> [Record] {
    old.filter { $0.withView { word.isIn($0.name) } }
  }
}
