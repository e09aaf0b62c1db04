import StorageContract

/// The expected rows of a list on the screen: the records that match a predicate, sorted and divided into sections.
struct ListModel {
  private(set) var sections: [[Record]] = []
  private let predicate: RecordPredicate

  init(_ shown: [Record], _ predicate: RecordPredicate) {
    self.predicate = predicate
    show(shown)
  }

  mutating func apply(_ changes: [Change]) {
    // Of several changes of one record, the last one counts.
    let last = changes.reduce(into: [Int64: Change]()) { $0[$1.record.id] = $1 }
    let matching = last.values.filter { change in
      !change.isDelete && change.record.withView { predicate.matches($0) }
    }
    show(sections.joined().filter { last[$0.id] == nil } + matching.map(\.record))
  }

  private mutating func show(_ rows: [Record]) {
    sections = []
    for row in rows.sorted(by: SectionedList.query(predicate).precedes) {
      if let last = sections.last?.last, last.group.hasSameBytes(as: row.group) {
        sections[sections.count - 1].append(row)
      } else {
        sections.append([row])
      }
    }
  }
}

/// A copy of the rows of a list on the screen, changed only by the differences that the engine reports.
struct ListMirror {
  private(set) var sections: [[Record]]

  init(_ list: SectionedList) { sections = list.sections.map(\.rows) }

  func shows(_ expected: [[Record]]) -> Bool {
    sections.count == expected.count
      && zip(sections, expected).allSatisfy { rows, right in
        rows.count == right.count && zip(rows, right).allSatisfy { $0.isIdentical(to: $1) }
      }
  }

  /// Updates this copy of a list by the engine's reports about one save. Returns the number of reports without effect.
  ///
  /// - Parameters:
  ///   - expected: The rows that the list should have after the save, by section.
  ///   - plain: The correct difference between the old and the new rows, found without the engine.
  /// - Throws: ``VerificationError`` if a report is wrong, or if the updated copy differs from `expected`.
  mutating func follow(
    _ differences: [ListDifference], to expected: [[Record]], _ plain: PlainDifference
  ) throws -> Int {
    let before = self
    var effective = 0
    for difference in differences {
      let difference = try effect(of: difference)
      if difference.isEmpty { continue }
      effective += 1
      let old = sections
      try apply(difference)
      // Each of several reported differences must be right by itself.
      let leadsThere = effective == 1 && shows(expected)
      guard leadsThere || differences.count > 1 else { break }
      let right = leadsThere ? plain : PlainDifference(from: old, to: sections)
      if let fault = right.fault(of: difference) { throw fault }
    }
    guard !shows(expected) else { return differences.count - effective }
    if effective == 0 { throw VerificationError("a list was not notified of a change") }
    throw VerificationError(
      before.shows(sections)
        ? "a list was notified of a change, but shows the old rows"
        : "the differences that were reported to a list do not lead from the old rows to the new ones")
  }

  /// Returns a copy of a list's reported difference, minus the updates whose new row equals the old row.
  private func effect(of difference: ListDifference) throws -> ListDifference {
    var difference = difference
    difference.rows = try difference.rows.filter { change in
      guard case .updated(let record, let old, _) = change else { return true }
      return !(try row(at: old)).isIdentical(to: record)
    }
    return difference
  }

  private func row(at position: ListPosition) throws -> Record {
    guard sections.indices.contains(position.section), sections[position.section].indices.contains(position.item) else {
      throw Self.noSuchPosition
    }
    return sections[position.section][position.item]
  }

  /// Applies a difference to the rows. Deleted positions refer to the old list, inserted positions to the new list.
  private mutating func apply(_ difference: ListDifference) throws {
    var (gone, come): ([ListPosition], [(position: ListPosition, record: Record)]) = ([], [])
    for change in difference.rows {
      switch change {
      case .deleted(let old): gone.append(old)
      case .inserted(let record, let new): come.append((new, record))
      case .moved(let record, let old, let new), .updated(let record, let old, let new):
        gone.append(old)
        come.append((new, record))
      }
    }
    for position in gone.sorted(by: >) {
      _ = try row(at: position)
      sections[position.section].remove(at: position.item)
    }
    for section in difference.deletedSections.sorted(by: >) {
      guard sections.indices.contains(section) else { throw Self.noSuchPosition }
      guard sections[section].isEmpty else {
        throw VerificationError("a list was notified of the removal of a section that still has rows")
      }
      sections.remove(at: section)
    }
    for section in difference.insertedSections.sorted() {
      guard section <= sections.count, section >= 0 else { throw Self.noSuchPosition }
      sections.insert([], at: section)
    }
    for (position, record) in come.sorted(by: { $0.position < $1.position }) {
      guard sections.indices.contains(position.section), position.item >= 0,
        position.item <= sections[position.section].count
      else { throw Self.noSuchPosition }
      sections[position.section].insert(record, at: position.item)
    }
  }

  private static var noSuchPosition: VerificationError {
    VerificationError("a list was notified of a position that it does not have")
  }
}
