/// A list on a screen, with one section for each group. Sections are sorted by the UTF-8 bytes of the group, records by
/// the UTF-8 bytes of the name and then by key.
public struct SectionedList: Sendable {
  /// The records of one group.
  public struct Section: Sendable {
    /// The group of the records.
    public let name: String
    /// The records in order; at least one.
    public var rows: [Record]

    /// Creates a section from sorted records.
    public init(name: String, rows: [Record]) {
      self.name = name
      self.rows = rows
    }
  }

  /// The sections in order.
  public var sections: [Section] = []

  /// Creates a list from sorted records: the results of ``query(_:)``.
  public init(_ rows: [Record] = []) {
    for row in rows {
      if let last = sections.last, last.name.hasSameBytes(as: row.group) {
        sections[sections.count - 1].rows.append(row)
      } else {
        sections.append(Section(name: row.group, rows: [row]))
      }
    }
  }

  /// Returns the query for a list of the records that a predicate finds.
  public static func query(_ predicate: RecordPredicate) -> RecordQuery {
    RecordQuery(predicate, sortedBy: [.ascending(.group), .ascending(.name)])
  }
}

/// The position of a row in a list.
public struct ListPlace: Hashable, Comparable, Sendable {
  /// The index of the section.
  public var section: Int
  /// The index within the section.
  public var item: Int

  /// Creates a position.
  public init(section: Int, item: Int) {
    self.section = section
    self.item = item
  }

  public static func < (left: Self, right: Self) -> Bool { (left.section, left.item) < (right.section, right.item) }
}

/// The changes between two lists, in the terms of a table view and of NSFetchedResultsController. Old positions refer
/// to the list before all changes, new positions to the list after them.
///
/// A row that only shifts because of other rows is not listed. A row with changed values is moved if it is in another
/// section, or at another position among the rows whose order has not changed. Otherwise it is updated.
public struct ListDifference: Sendable {
  /// A change of one row.
  public enum RowChange: Sendable {
    /// The row existed only before; this is its old position.
    case deleted(ListPlace)
    /// The row exists only now.
    case inserted(Record, ListPlace)
    /// The row has a new position; the record has its values.
    case moved(Record, from: ListPlace, to: ListPlace)
    /// The row has new values, and its position among its neighbours is the same.
    case updated(Record, from: ListPlace, to: ListPlace)
  }

  /// The old indices of sections that were deleted.
  public var deletedSections: [Int] = []
  /// The new indices of sections that were inserted.
  public var insertedSections: [Int] = []
  /// The changed rows, in no particular order.
  public var rows: [RowChange] = []

  /// Creates an empty difference.
  public init() {}

  /// Whether both lists are equal.
  public var isEmpty: Bool { rows.isEmpty && deletedSections.isEmpty && insertedSections.isEmpty }
}
