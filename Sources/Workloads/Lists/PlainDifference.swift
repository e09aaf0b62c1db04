import StorageContract

/// The correct difference between two versions of a list, found by looking up every row in both versions.
struct PlainDifference {
  private let deletedSections: [Int]
  private let insertedSections: [Int]
  private var deleted: Set<ListPosition> = []
  private var inserted: Set<Int64> = []
  /// The keys of the rows that are in both versions of the list, with different values.
  private var changed: Set<Int64> = []
  /// The keys of the changed rows that have certainly moved, for instance to another section.
  private var moved: Set<Int64> = []
  /// The minimum number of rows to move to get from the old list to the new list.
  private var moves = 0

  private typealias Row = (record: Record, position: ListPosition)

  init(from old: [[Record]], to new: [[Record]]) {
    let (before, after) = (Self.rows(old), Self.rows(new))
    let (oldGroups, newGroups) = (Self.groups(old), Self.groups(new))
    deletedSections = oldGroups.indices.filter { !newGroups.contains(oldGroups[$0]) }
    insertedSections = newGroups.indices.filter { !oldGroups.contains(newGroups[$0]) }
    deleted = Set(before.values.filter { after[$0.record.id] == nil }.map(\.position))
    inserted = Set(after.keys.filter { before[$0] == nil })
    changed = Set(
      before.keys.filter { key in after[key].map { !$0.record.isIdentical(to: before[key]!.record) } ?? false })
    // Rows with unchanged sort keys keep their relative order.
    let reordered = changed.filter { key in
      let (old, new) = (before[key]!.record, after[key]!.record)
      return !old.group.hasSameBytes(as: new.group) || !old.name.hasSameBytes(as: new.name)
    }
    let fixed = { (key: Int64) in before[key] != nil && after[key] != nil && !reordered.contains(key) }
    moved = reordered.filter { key in
      let (from, to) = (before[key]!, after[key]!)
      return !from.record.group.hasSameBytes(as: to.record.group)
        || Self.rank(from.position, old, fixed) != Self.rank(to.position, new, fixed)
    }
    moves = moved.count
    for keys in Dictionary(grouping: reordered.subtracting(moved), by: { ExactText(after[$0]!.record.group) }).values {
      let rows = keys.map { (from: before[$0]!.position.item, to: after[$0]!.position.item) }
      moves += rows.count - Self.longestInOrder(rows)
    }
  }

  private static func rows(_ list: [[Record]]) -> [Int64: Row] {
    var rows: [Int64: Row] = [:]
    for (section, records) in list.enumerated() {
      for (item, record) in records.enumerated() {
        rows[record.id] = (record, ListPosition(section: section, item: item))
      }
    }
    return rows
  }

  private static func groups(_ list: [[Record]]) -> [ExactText] {
    list.compactMap { $0.first.map { ExactText($0.group) } }
  }

  private static func rank(_ position: ListPosition, _ list: [[Record]], _ isFixed: (Int64) -> Bool) -> Int {
    list[position.section][..<position.item].count { isFixed($0.id) }
  }

  /// Returns the greatest number of rows that have the same order in the old and the new list.
  private static func longestInOrder(_ rows: [(from: Int, to: Int)]) -> Int {
    let targets = rows.sorted { $0.from < $1.from }.map(\.to)
    var lengths: [Int] = []
    for (index, target) in targets.enumerated() {
      lengths.append(1 + (0..<index).map { targets[$0] < target ? lengths[$0] : 0 }.reduce(0, max))
    }
    return lengths.max() ?? 0
  }

  func fault(of difference: ListDifference) -> VerificationError? {
    guard difference.deletedSections.sorted() == deletedSections,
      difference.insertedSections.sorted() == insertedSections
    else {
      return VerificationError("a list was notified of different sections from those that were added and removed")
    }
    var (toldDeleted, toldInserted): (Set<ListPosition>, Set<Int64>) = ([], [])
    var (toldMoved, toldUpdated): (Set<Int64>, Set<Int64>) = ([], [])
    for change in difference.rows {
      let isNew =
        switch change {
        case .deleted(let position): toldDeleted.insert(position).inserted
        case .inserted(let record, _): toldInserted.insert(record.id).inserted
        case .moved(let record, _, _): toldMoved.insert(record.id).inserted
        case .updated(let record, _, _): toldUpdated.insert(record.id).inserted
        }
      guard isNew else { return VerificationError("a list was notified of a row twice") }
    }
    guard toldDeleted == deleted else {
      return VerificationError("a list was notified of the deletion of different rows from those that were deleted")
    }
    if let key = toldInserted.symmetricDifference(inserted).min() {
      return VerificationError(
        key: key,
        toldInserted.contains(key)
          ? "was reported to a list as inserted, but was not" : "was inserted, but a list was not notified of it")
    }
    if let key = toldMoved.union(toldUpdated).symmetricDifference(changed).min() {
      return VerificationError(
        key: key,
        changed.contains(key)
          ? "changed, but a list was not notified of it" : "was reported to a list as changed, but was not")
    }
    if let key = toldMoved.intersection(toldUpdated).min() {
      return VerificationError(
        key: key, "was reported to a list both as moved and as updated; the backend must report only one of the two")
    }
    if let key = moved.subtracting(toldMoved).min() {
      return VerificationError(key: key, "moved, but was reported to a list as staying in its place")
    }
    guard toldMoved.count == moves else {
      return VerificationError(
        "the number of rows that were reported to a list as moved is \(toldMoved.count) instead of \(moves), "
          + "the fewest changed rows that have to move")
    }
    return nil
  }
}
