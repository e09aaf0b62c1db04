import StorageContract
import Testing

@testable import StorageWorkloads

/// Lists that follow saves, and faulty stores that report wrong updates.
@Suite struct LiveListTests {
  private static let edits = ["one", "move", "many", "elsewhere", "mixed"]

  private func complaint(
    _ options: [String] = [], source: any RecordSource = GeneratedRecords(count: 60, bytes: 20, seed: 4),
    backend: any StorageBackend.Type = ModelStore.self, operations: Int = 24
  ) throws -> String? {
    try WorkloadTrial("live-list", options: options, source: source, backend: backend).complaint(operations: operations)
  }

  @Test(arguments: edits, ["0", "1", "10"])
  func listsFollowEveryEdit(edit: String, observers: String) throws {
    #expect(try complaint(["edit=\(edit)", "observers=\(observers)"], operations: 60) == nil)
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
      #expect(try complaint(["edit=\(edit)"], source: source, operations: 8) == nil)
    }
  }

  @Test func listsWithoutRowsAreLists() throws {
    for edit in Self.edits {
      #expect(try complaint(["edit=\(edit)"], source: RecordList([]), operations: 4) == nil)
    }
    // Records whose score is not a number are in no list.
    let unscored = RecordList((0..<9).map { key in Record.sample(key).with { $0.score = .nan } })
    #expect(try complaint(source: unscored, operations: 4) == nil)
  }

  @Test(arguments: Liar.lies) func liarsAreFound(lie: (type: Liar.Type, words: String)) throws {
    let complaints = try Self.edits.map { try complaint(["edit=\($0)"], backend: lie.type) }
    #expect(complaints[0]?.contains(lie.words) == true, "\(complaints)")
    #expect(complaints[4] != nil)
  }

  /// A store without a fault passes, and so does one that reports an empty update after each one.
  @Test(arguments: [Liar.self, Stutters.self], edits)
  func thoseWhoTellTheTruthAreNotAccused(type: Liar.Type, edit: String) throws {
    #expect(try complaint(["edit=\(edit)"], backend: type, operations: 60) == nil)
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

/// Compares the difference that is found in one walk through two lists with a plain computation.
@Suite struct ListDifferenceTests {
  private func rows(_ records: [Record]) -> [[Record]] { ListModel(records, .everything).sections }

  private func list(_ records: [Record]) -> SectionedList { SectionedList(rows(records).flatMap { $0 }) }

  private func record(_ id: Int64, _ group: String, _ name: String, _ payload: UInt8 = 0) -> Record {
    Record(id: id, name: name, group: group, score: 0, modified: 0, payload: [payload])
  }

  /// Returns records with few keys, names and groups, so that all combinations occur.
  private func records(_ random: inout RandomStream) -> [Record] {
    let groups = ["", "a", "é", "e\u{301}", "東", "b\0"]
    let names = ["", "n", "n\0", "ñ", "n\u{303}", "🌿", "N"]
    return (0..<random.below(14) as Range<Int>).filter { _ in random.below(3) > 0 }.map { key in
      record(Int64(key), groups[random.below(groups.count)], names[random.below(names.count)], UInt8(random.below(2)))
    }
  }

  @Test(arguments: 0..<10) func theWalkFindsWhatThePlainWayFinds(seed: Int) throws {
    var random = RandomStream(seed: UInt64(seed))
    var old = records(&random)
    for _ in 0..<200 {
      let new = random.below(12) == 0 ? old : records(&random)
      let difference = list(new).difference(from: list(old))
      let plain = PlainDifference(from: rows(old), to: rows(new))
      #expect(plain.fault(of: difference) == nil)
      var mirror = ListMirror(list(old))
      let idle = try mirror.follow([difference], to: rows(new), plain)
      #expect(mirror.shows(rows(new)))
      #expect(idle == (difference.isEmpty ? 1 : 0))
      old = new
    }
  }

  @Test func rowsThatMakeRoomAreNotMentioned() {
    let old = [record(1, "a", "a"), record(2, "a", "c"), record(3, "b", "x")]
    func difference(_ new: [Record]) -> [String] {
      list(new).difference(from: list(old)).rows.map { change in
        func text(_ position: ListPosition) -> String { "\(position.section).\(position.item)" }
        return switch change {
        case .deleted(let position): "\(text(position)) goes"
        case .inserted(let record, let position): "\(record.id) comes to \(text(position))"
        case .moved(let record, let from, let to): "\(record.id) moves from \(text(from)) to \(text(to))"
        case .updated(let record, let from, let to): "\(record.id) changes from \(text(from)) to \(text(to))"
        }
      }
    }
    #expect(difference(old) == [])
    #expect(difference(old + [record(9, "a", "b")]) == ["9 comes to 0.1"])
    #expect(difference(Array(old.dropFirst())) == ["0.0 goes"])
    // The renamed row keeps its position among its neighbours.
    #expect(difference([record(1, "a", "b"), old[1], old[2]]) == ["1 changes from 0.0 to 0.0"])
    #expect(difference([record(1, "a", "d"), old[1], old[2]]) == ["1 moves from 0.0 to 0.1"])
    #expect(difference([record(1, "b", "a"), old[1], old[2]]) == ["1 moves from 0.0 to 1.0"])
  }

  @Test func wrongDifferencesAreNamed() throws {
    let old = [record(1, "a", "a"), record(2, "a", "c"), record(3, "b", "x"), record(4, "b", "y")]
    let new = [record(1, "a", "d"), record(2, "a", "c", 7), record(4, "b", "y"), record(5, "c", "z")]
    let plain = PlainDifference(from: rows(old), to: rows(new))
    let right = list(new).difference(from: list(old))
    func complaint(_ spoil: (inout ListDifference) -> Void) -> String? {
      var difference = right
      spoil(&difference)
      var mirror = ListMirror(list(old))
      do {
        _ = try mirror.follow([difference], to: rows(new), plain)
        return nil
      } catch { return "\(error)" }
    }
    #expect(complaint { _ in } == nil)
    #expect(complaint { $0 = ListDifference() } == "a list was not notified of a change")
    for index in right.rows.indices { #expect(complaint { $0.rows.remove(at: index) } != nil) }
    #expect(complaint { $0.insertedSections = [] }?.contains("a position that it does not have") == true)
    #expect(complaint { $0.insertedSections.append(0) } != nil)
    #expect(complaint { $0.deletedSections = [1] } != nil)
    #expect(complaint { $0.rows.append($0.rows[0]) } != nil)
    // A row that did not move is reported as moved.
    let still = ListPosition(section: 1, item: 1)
    #expect(
      complaint { $0.rows.append(.moved(old[3], from: still, to: ListPosition(section: 1, item: 0))) }
        == "record 4 was reported to a list as changed, but was not")
    // Reported as an update, the same row is accepted.
    #expect(complaint { $0.rows.append(.updated(old[3], from: still, to: ListPosition(section: 1, item: 0))) } == nil)
    // Deleting and inserting all rows leads to the new list as well, but is not the difference.
    #expect(
      complaint { difference in
        difference = ListDifference()
        difference.deletedSections = [0, 1]
        difference.insertedSections = [0, 1, 2]
        for (section, rows) in rows(old).enumerated() {
          for item in rows.indices { difference.rows.append(.deleted(ListPosition(section: section, item: item))) }
        }
        for (section, rows) in rows(new).enumerated() {
          for (item, row) in rows.enumerated() {
            difference.rows.append(.inserted(row, ListPosition(section: section, item: item)))
          }
        }
      } == "a list was notified of different sections from those that were added and removed")
  }
}
