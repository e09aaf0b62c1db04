import Foundation
import StorageContract

/// A session that saves records, waits until the lists on the screen are up to date, and checks their differences.
final class LiveListSession: SessionStore, ChangingSession {
  let blockSize = 64
  let measuresItself: Bool
  private let edits: ListEdits
  private let observers: Int
  private let savesElsewhere: Bool
  private var observing: (any Observing)?
  private var writer: (any SecondWriter)?
  private var lists: [any ObservedList] = []
  private var inboxes: [Inbox] = []
  private var mirrors: [ListMirror] = []
  private var model: ListModel
  private var block = Block<[Change]>()
  /// The number of updates in the inbox of each list at the end of each operation of a block: `marks[operation][list]`.
  private var marks: [[Int]] = []
  private var durations: [Int64] = []
  private var saves = 0
  private var falseWakes = 0
  private var decodedRows = 0

  init(_ context: SessionContext, _ options: Options) {
    edits = ListEdits(context, ListEdits.Kind(rawValue: options[LiveList.edit]) ?? .one)
    observers = Int(options[LiveList.observers]) ?? 1
    savesElsewhere = options[LiveList.from] == "other"
    // The measured time ends when the save returns, not when the lists are updated.
    measuresItself = options[LiveList.until] == "save"
    model = ListModel(edits.shown, edits.predicate)
    super.init(context)
  }

  func setUp() throws {
    let store = try context.open()
    let observing = Capability.observing(of: store).value
    for _ in 0..<observers {
      let inbox = Inbox()
      let list = try observing.observe(edits.predicate, in: .records) { inbox.add($0) }
      lists.append(list)
      inboxes.append(inbox)
      mirrors.append(ListMirror(try list.list()))
    }
    (self.store, self.observing) = (store, observing)
    if savesElsewhere {
      guard let store = store as? any SecondWriting else {
        throw StoreError.failed("the store has no second writer, which from=other needs; run this with from=self")
      }
      writer = try store.openSecondWriter(context.environment)
    }
    guard context.isVerifiable else { return }
    for mirror in mirrors where !mirror.shows(model.sections) {
      throw VerificationError("a list does not start with the records that it should show")
    }
  }

  func changes(_ operation: Int) -> [Change] { edits.changes(operation) }

  func prepare(_ operations: Range<Int>) {
    block = Block(operations, changes)
    marks = []
    durations = Array(repeating: 0, count: operations.count)
  }

  func perform(_ operation: Int) throws {
    let began = measuresItself ? MonotonicTime.now : 0
    if let writer { try writer.commit(block[operation]) } else { try observing?.commit(block[operation]) }
    if measuresItself { durations[block.index(of: operation)] = MonotonicTime.now - began }
    try observing?.waitForLists()
    marks.append(inboxes.map(\.count))
  }

  func endsInSave(_ operation: Int) -> Bool { !edits.mayChangeNothing }

  func ownDuration(of operation: Int) -> Int64? { measuresItself ? durations[block.index(of: operation)] : nil }

  func verify(_ operations: Range<Int>) throws {
    let told = inboxes.map { $0.empty() }
    saves += operations.count
    decodedRows += told.joined().reduce(0) { $0 + $1.decodedRows }
    guard context.isVerifiable, let store else { return }
    var next = Array(repeating: 0, count: observers)
    for operation in operations {
      let marks = marks[block.index(of: operation)]
      let old = model.sections
      model.apply(block[operation])
      let plain = PlainDifference(from: old, to: model.sections)
      for list in 0..<observers {
        let updates = told[list][next[list]..<marks[list]]
        next[list] = marks[list]
        falseWakes += try mirrors[list].follow(updates.map(\.difference), to: model.sections, plain)
      }
    }
    // Compares the store's content, read again, and the lists with the expected rows.
    let rows = try Capability.querying(of: store).value.records(SectionedList.query(edits.predicate), in: .records)
    guard ListMirror(SectionedList(rows)).shows(model.sections) else {
      throw VerificationError("a fresh query gives different rows from the expected ones")
    }
    for list in lists where !ListMirror(try list.list()).shows(model.sections) {
      throw VerificationError("a list shows different rows from those of a fresh query")
    }
  }

  func finish() throws {
    for list in lists { list.stop() }
    try writer?.close()
    (lists, observing, writer) = ([], nil, nil)
    try store?.settle()
    try close()
  }

  /// Two averages per save: the number of decoded records, and the number of list updates that change no row. Empty if
  /// there are no lists or time is measured.
  var findings: [Finding] {
    guard context.isCounting, saves > 0, observers > 0 else { return [] }
    return [
      Finding(LiveList.decodedRows, Double(decodedRows) / Double(saves), .first),
      Finding(LiveList.falseWakes, Double(falseWakes) / Double(saves), .first),
    ]
  }

  func bytesChanged(by operations: Int) -> Int {
    var expectation = Expectation(context.source)
    var bytes = 0
    for change in (0..<operations).flatMap(changes) {
      bytes += Self.bytes(of: change, over: expectation.record(change.record.id))
      expectation.apply(change)
    }
    return bytes
  }

  /// Returns the number of bytes of the fields that differ from the old record. A new or deleted record counts as a
  /// whole.
  private static func bytes(of change: Change, over old: Record?) -> Int {
    guard !change.isDelete else { return old?.logicalSize ?? 0 }
    let new = change.record
    guard let old else { return new.logicalSize }
    return (old.name.hasSameBytes(as: new.name) ? 0 : new.name.utf8.count)
      + (old.group.hasSameBytes(as: new.group) ? 0 : new.group.utf8.count)
      + (old.score == new.score ? 0 : 8) + (old.modified == new.modified ? 0 : 8)
      + (old.payload == new.payload ? 0 : new.payload.count)
  }
}

/// A queue of the updates that the engine has reported for one list on the screen. Any thread may add updates.
private final class Inbox: @unchecked Sendable {
  private let lock = NSLock()
  private var updates: [ListUpdate] = []

  var count: Int { lock.withLock { updates.count } }

  func add(_ update: ListUpdate) { lock.withLock { updates.append(update) } }

  func empty() -> [ListUpdate] {
    lock.withLock {
      defer { updates = [] }
      return updates
    }
  }
}
