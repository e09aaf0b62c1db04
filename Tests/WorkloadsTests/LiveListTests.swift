import StorageContract
import Testing

@testable import StorageWorkloads

/// Lists that follow saves, and those that do it wrong.
@Suite struct LiveListTests {
  private static let edits = ["one", "move", "many", "elsewhere", "mixed"]

  private func complaint(
    _ options: [String], backend: any StorageBackend.Type, operations: Int = 24
  ) throws -> String? {
    try TrialPlace("live-list", options: options, backend: backend).complaint(operations: operations)
  }

  @Test(arguments: edits, ["0", "1", "10"])
  func listsFollowEveryEdit(edit: String, observers: String) throws {
    let place = try TrialPlace("live-list", options: ["edit=\(edit)", "observers=\(observers)"])
    #expect(try place.complaint(operations: 60) == nil)
  }

  /// What is found is per save: an app that asks again decodes all rows, whatever has changed, and is woken for nothing
  /// where its list does not show what was saved.
  @Test func whatListsCostIsFound() throws {
    func findings(_ options: [String]) throws -> [String: Double] {
      let place = try TrialPlace("live-list", options: options)
      let session = try place.session()
      try session.setUp()
      try session.prepare(0..<10)
      for operation in 0..<10 { try session.perform(operation) }
      try session.verify(0..<10)
      try session.finish()
      return Dictionary(uniqueKeysWithValues: session.findings.map { ($0.name, $0.value) })
    }
    let one = try findings([])
    #expect(one == ["rows_decoded_per_save": 60, "false_wakes_per_save": 0])
    #expect(try findings(["observers=10", "edit=move"])["rows_decoded_per_save"] == 600)
    #expect(try findings(["edit=elsewhere", "observers=10"])["false_wakes_per_save"] == 10)
    #expect(try findings(["observers=0"]).isEmpty)
  }

  /// A list of 1,000 where there are more records; those that it does not show are saved as well.
  @Test func aLongListIsCut() throws {
    let source = GeneratedRecords(count: 1_500, bytes: 4, seed: 2)
    let place = try TrialPlace("live-list", source: source)
    #expect(ListEdits(place.context, .one).shown.count == 1_000)
    for edit in ["one", "elsewhere", "mixed"] {
      let place = try TrialPlace("live-list", options: ["edit=\(edit)"], source: source)
      #expect(try place.complaint(operations: 8) == nil)
    }
  }

  @Test func listsWithoutRowsAreLists() throws {
    for edit in Self.edits {
      let place = try TrialPlace("live-list", options: ["edit=\(edit)"], source: RecordList([]))
      #expect(try place.complaint(operations: 4) == nil)
    }
    // Scores that are not numbers are shown nowhere.
    let place = try TrialPlace(
      "live-list", source: RecordList((0..<9).map { key in Record.sample(key).with { $0.score = .nan } }))
    #expect(try place.complaint(operations: 4) == nil)
  }

  @Test(arguments: Liar.lies) func liarsAreFound(lie: (type: Liar.Type, words: String)) throws {
    let complaints = try Self.edits.map { try complaint(["edit=\($0)"], backend: lie.type) }
    #expect(complaints[0]?.contains(lie.words) == true, "\(complaints)")
    #expect(complaints[4] != nil)
  }

  /// A wrapper that tells the truth is not accused, nor one that tells several saves at once or the same twice.
  @Test func thoseWhoTellTheTruthAreNotAccused() throws {
    for type in [Liar.self, Stutters.self] {
      for edit in Self.edits { #expect(try complaint(["edit=\(edit)"], backend: type, operations: 60) == nil) }
    }
  }

  @Test func statedCapabilityFollowsTheObservers() throws {
    func capability(_ text: String) throws -> Capability? {
      let options = try Options(parsing: [text], specs: LiveList.description.options, owner: "live-list")
      return LiveList.description.capability(options)
    }
    #expect(try capability("observers=0") == nil)
    #expect(try capability("observers=10") == .observing)
  }
}

/// A store that observes itself, by the emulation, and in subclasses tells something else.
class Liar: Faulty, Observing {
  static var lies: [(type: Liar.Type, words: String)] {
    [
      (GoesBack.self, "was told of a change and shows the old rows"), (Skips.self, "was not told of a change"),
      (WrongRow.self, "do not lead from the old rows to the new ones"),
      (TellsAll.self, "that other rows went than did"),
      (StartsEmpty.self, "does not start with the records"), (ShowsOld.self, "shows other rows than a fresh query"),
    ]
  }

  private lazy var emulation = Capability.observing(of: inner).value

  /// What is told in place of an update, after which the list is another one.
  func lie(_ update: ListUpdate, _ list: SectionedList, after old: SectionedList) -> [ListUpdate] { lie(update) }
  func lie(_ update: ListUpdate) -> [ListUpdate] { [update] }

  /// What a list shows, in place of what it should.
  func shown(_ list: any ObservedList) throws -> SectionedList { try list.list() }

  override func commit(_ changes: [Change]) throws { try emulation.commit(changes) }
  func waitForLists() throws { try emulation.waitForLists() }

  func observe(
    _ predicate: RecordPredicate, in collection: CollectionID, _ told: @escaping @Sendable (ListUpdate) -> Void
  ) throws -> any ObservedList {
    nonisolated(unsafe) let liar = self
    nonisolated(unsafe) var list: (any ObservedList)?
    nonisolated(unsafe) var old = SectionedList()
    let observed = try emulation.observe(predicate, in: collection) { update in
      let new = (try? list?.list()) ?? SectionedList()
      liar.lie(update, new, after: old).forEach(told)
      old = new
    }
    (list, old) = (observed, try observed.list())
    return Listed(list: observed, liar: liar)
  }

  private final class Listed: ObservedList {
    let inner: any ObservedList
    let liar: Liar

    init(list: any ObservedList, liar: Liar) { (inner, self.liar) = (list, liar) }

    func list() throws -> SectionedList { try liar.shown(inner) }
    func stop() { inner.stop() }
  }
}

/// Tells a change, and then what leads back from it.
private final class GoesBack: Liar {
  override func lie(_ update: ListUpdate, _ list: SectionedList, after old: SectionedList) -> [ListUpdate] {
    [update, ListUpdate(old.difference(from: list), decodedRows: 0)]
  }
}

/// Does not tell the fifth.
private final class Skips: Liar {
  private var count = 0
  override func lie(_ update: ListUpdate) -> [ListUpdate] {
    count += 1
    return count == 5 ? [] : [update]
  }
}

/// Tells of a row with another payload.
private final class WrongRow: Liar {
  override func lie(_ update: ListUpdate) -> [ListUpdate] {
    var update = update
    update.difference.rows = update.difference.rows.map { change in
      guard case .updated(let record, let old, let new) = change else { return change }
      return .updated(record.with { $0.payload[0] ^= 1 }, from: old, to: new)
    }
    return [update]
  }
}

/// Tells that rows which only changed have moved to where they were.
private final class TellsAll: Liar {
  override func lie(_ update: ListUpdate) -> [ListUpdate] {
    var update = update
    update.difference.rows = update.difference.rows.flatMap { change -> [ListDifference.RowChange] in
      guard case .updated(let record, let old, let new) = change else { return [change] }
      return [.deleted(old), .inserted(record, new)]
    }
    return [update]
  }
}

/// Starts with an empty list.
private final class StartsEmpty: Liar {
  private var isFirst = true
  override func shown(_ list: any ObservedList) throws -> SectionedList {
    defer { isFirst = false }
    return isFirst ? SectionedList() : try list.list()
  }
}

/// Tells the truth, and shows what it showed first.
private final class ShowsOld: Liar {
  private var first: SectionedList?
  override func shown(_ list: any ObservedList) throws -> SectionedList {
    first = try first ?? list.list()
    return first ?? SectionedList()
  }
}

/// Tells everything, and then that nothing has changed.
private final class Stutters: Liar {
  override func lie(_ update: ListUpdate) -> [ListUpdate] {
    [update, ListUpdate(ListDifference(), decodedRows: update.decodedRows)]
  }
}
