import StorageContract
import Testing

@testable import StorageWorkloads

/// Lists that follow saves, and faulty stores that report wrong updates.
@Suite struct LiveListTests {
  private static let edits = ["one", "move", "many", "elsewhere", "mixed"]

  private func complaint(
    _ options: [String], backend: any StorageBackend.Type, operations: Int = 24
  ) throws -> String? {
    try WorkloadTrial("live-list", options: options, backend: backend).complaint(operations: operations)
  }

  @Test(arguments: edits, ["0", "1", "10"])
  func listsFollowEveryEdit(edit: String, observers: String) throws {
    let trial = try WorkloadTrial("live-list", options: ["edit=\(edit)", "observers=\(observers)"])
    #expect(try trial.complaint(operations: 60) == nil)
  }

  /// The findings are per save. An app that queries again decodes all rows after any change, and is woken in vain if
  /// its list does not show the saved record.
  @Test func whatListsCostIsFound() throws {
    func findings(_ options: [String]) throws -> [String: Double] {
      let trial = try WorkloadTrial("live-list", options: options)
      let session = try trial.session()
      try session.run(operations: 10, block: 10)
      return Dictionary(uniqueKeysWithValues: session.findings.map { ($0.name, $0.value) })
    }
    let one = try findings([])
    #expect(one == ["rows_decoded_per_save": 60, "false_wakes_per_save": 0])
    #expect(try findings(["observers=10", "edit=move"])["rows_decoded_per_save"] == 600)
    #expect(try findings(["edit=elsewhere", "observers=10"])["false_wakes_per_save"] == 10)
    #expect(try findings(["observers=0"]).isEmpty)
  }

  /// A list shows 1,000 of 1,500 records. Records that it does not show are saved, too.
  @Test func aLongListIsCut() throws {
    let source = GeneratedRecords(count: 1_500, bytes: 4, seed: 2)
    let trial = try WorkloadTrial("live-list", source: source)
    #expect(ListEdits(trial.context, .one).shown.count == 1_000)
    for edit in ["one", "elsewhere", "mixed"] {
      let trial = try WorkloadTrial("live-list", options: ["edit=\(edit)"], source: source)
      #expect(try trial.complaint(operations: 8) == nil)
    }
  }

  @Test func listsWithoutRowsAreLists() throws {
    for edit in Self.edits {
      let trial = try WorkloadTrial("live-list", options: ["edit=\(edit)"], source: RecordList([]))
      #expect(try trial.complaint(operations: 4) == nil)
    }
    // Records whose score is not a number are in no list.
    let trial = try WorkloadTrial(
      "live-list", source: RecordList((0..<9).map { key in Record.sample(key).with { $0.score = .nan } }))
    #expect(try trial.complaint(operations: 4) == nil)
  }

  @Test(arguments: Liar.lies) func liarsAreFound(lie: (type: Liar.Type, words: String)) throws {
    let complaints = try Self.edits.map { try complaint(["edit=\($0)"], backend: lie.type) }
    #expect(complaints[0]?.contains(lie.words) == true, "\(complaints)")
    #expect(complaints[4] != nil)
  }

  /// A store without a fault passes, and so does one that reports an empty update after each one.
  @Test func thoseWhoTellTheTruthAreNotAccused() throws {
    for type in [Liar.self, Stutters.self] {
      for edit in Self.edits { #expect(try complaint(["edit=\(edit)"], backend: type, operations: 60) == nil) }
    }
  }

  /// Another connection saves. A store that does not notice it shows old lists.
  @Test(arguments: edits) func listsFollowAnotherWriter(edit: String) throws {
    let options = ["edit=\(edit)", "from=other", "observers=10"]
    #expect(try complaint(options, backend: TwoConnections.self, operations: 60) == nil)
    if edit == "one" {
      #expect(try complaint(options, backend: NoticesNothing.self) == "a list was not notified of a change")
    }
  }
}

extension ModelStore: SecondWriter {}

/// A store whose content another open store can change. The emulation of lists asks it for new commits.
class TwoConnections: Faulty, SecondWriting {
  private var seen: Int?

  static func lackOfSecondWriter(_ durability: Durability, _ options: Options) -> String? { nil }

  func openSecondWriter(_ environment: StoreEnvironment) throws -> any SecondWriter {
    seen = model.disk.commits
    return try ModelStore(opening: environment)
  }

  func hasNewCommits() throws -> Bool {
    defer { seen = model.disk.commits }
    return seen != model.disk.commits
  }
}

private final class NoticesNothing: TwoConnections {
  override func hasNewCommits() -> Bool { false }
}

/// A store that observes lists by the emulation. Subclasses report something else.
class Liar: Faulty, Observing {
  static var lies: [(type: Liar.Type, words: String)] {
    [
      (GoesBack.self, "was notified of a change, but shows the old rows"), (Skips.self, "was not notified of a change"),
      (WrongRow.self, "do not lead from the old rows to the new ones"),
      (TellsAll.self, "of different rows from those that were deleted"),
      (StartsEmpty.self, "does not start with the records"),
      (ShowsOld.self, "shows different rows from those of a fresh query"),
    ]
  }

  private lazy var emulation = Capability.observing(of: inner).value

  /// Returns the updates to report in place of one, with the list after it and before it.
  func lie(_ update: ListUpdate, _ list: SectionedList, after old: SectionedList) -> [ListUpdate] { lie(update) }
  func lie(_ update: ListUpdate) -> [ListUpdate] { [update] }

  /// Returns the content that a list shows.
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

/// A store that reports each change, and then its reversal.
private final class GoesBack: Liar {
  override func lie(_ update: ListUpdate, _ list: SectionedList, after old: SectionedList) -> [ListUpdate] {
    [update, ListUpdate(old.difference(from: list), decodedRows: 0)]
  }
}

/// A store that does not report the fifth update.
private final class Skips: Liar {
  private var count = 0
  override func lie(_ update: ListUpdate) -> [ListUpdate] {
    count += 1
    return count == 5 ? [] : [update]
  }
}

/// A store that reports updated rows with another payload.
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

/// A store that reports updated rows as deleted and inserted.
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

/// A store whose list is empty when it is first read.
private final class StartsEmpty: Liar {
  private var isFirst = true
  override func shown(_ list: any ObservedList) throws -> SectionedList {
    defer { isFirst = false }
    return isFirst ? SectionedList() : try list.list()
  }
}

/// A store that reports correct updates but always shows the first list.
private final class ShowsOld: Liar {
  private var first: SectionedList?
  override func shown(_ list: any ObservedList) throws -> SectionedList {
    first = try first ?? list.list()
    return first ?? SectionedList()
  }
}

/// A store that reports each update, and then an empty one.
private final class Stutters: Liar {
  override func lie(_ update: ListUpdate) -> [ListUpdate] {
    [update, ListUpdate(ListDifference(), decodedRows: update.decodedRows)]
  }
}
