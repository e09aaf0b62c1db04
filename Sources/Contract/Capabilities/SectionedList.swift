/// A list on a screen, with one section for each group. Sections are sorted by the UTF-8 bytes of the group, records by
/// the UTF-8 bytes of the name and then by key.
public struct SectionedList: Sendable {
  /// A section of a list on a screen. It has the records of one group.
  public struct Section: Sendable {
    /// The section's name, which is the group of its records.
    public let name: String
    /// The section's records in order. A section has at least one.
    public var rows: [Record]

    /// Creates a list's section from sorted records.
    public init(name: String, rows: [Record]) {
      self.name = name
      self.rows = rows
    }
  }

  /// The sections of the list, in order.
  public var sections: [Section] = []

  /// Creates a list from records in the order of ``query(_:)``. Each group of records becomes a section.
  public init(_ rows: [Record] = []) {
    for row in rows {
      if let last = sections.last, last.name.hasSameBytes(as: row.group) {
        sections[sections.count - 1].rows.append(row)
      } else {
        sections.append(Section(name: row.group, rows: [row]))
      }
    }
  }

  /// Returns the query that finds the records of a predicate in the order of the list: by group, then by name, then by
  /// key.
  public static func query(_ predicate: RecordPredicate) -> RecordQuery {
    RecordQuery(predicate, sortedBy: [.ascending(.group), .ascending(.name)])
  }
}

/// The position of a row in a list with sections.
public struct ListPosition: Hashable, Comparable, Sendable {
  /// The index of the row's section.
  public var section: Int
  /// The index of the row within its section.
  public var item: Int

  /// Creates the position of a row from two indices.
  public init(section: Int, item: Int) {
    self.section = section
    self.item = item
  }

  public static func < (left: Self, right: Self) -> Bool { (left.section, left.item) < (right.section, right.item) }
}

/// The changes between two versions of a list, in the terms of a table view and of NSFetchedResultsController. Old
/// positions refer to the list before all changes, new positions to the list after them.
///
/// A row that only shifts because of other rows is not listed. A row with changed values counts as moved in two cases:
/// its section has changed, or its position relative to the rows that did not move. Otherwise the row counts as
/// updated.
public struct ListDifference: Sendable {
  /// A change of one row of a list.
  public enum RowChange: Sendable {
    /// The row existed only in the old list, at the given position.
    case deleted(ListPosition)
    /// The row exists only in the new list, with the given record and position.
    case inserted(Record, ListPosition)
    /// The row has a new position in the list, and the values of the given record.
    case moved(Record, from: ListPosition, to: ListPosition)
    /// The row has the values of the given record. The row did not move, but its position differs if rows above it were
    /// inserted, deleted or moved.
    case updated(Record, from: ListPosition, to: ListPosition)
  }

  /// The indices of the deleted sections in the old list.
  public var deletedSections: [Int] = []
  /// The indices of the inserted sections in the new list.
  public var insertedSections: [Int] = []
  /// The deleted, inserted, moved and updated rows of the list, in no particular order.
  public var rows: [RowChange] = []

  /// Creates the difference of two equal lists.
  public init() {}

  /// Whether the old and the new list are equal.
  public var isEmpty: Bool { rows.isEmpty && deletedSections.isEmpty && insertedSections.isEmpty }
}
