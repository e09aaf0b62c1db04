/// A list on a screen: a section for each group, in the order of the groups' UTF-8 bytes, and in each the records by
/// name, by its UTF-8 bytes, and among equal names by key.
public struct SectionedList: Sendable {
  /// The records of one group.
  public struct Section: Sendable {
    /// Their group.
    public let name: String
    /// In order; at least one.
    public var rows: [Record]

    /// Makes a section of records that are in order.
    public init(name: String, rows: [Record]) {
      self.name = name
      self.rows = rows
    }
  }

  /// The sections in order.
  public var sections: [Section] = []

  /// The list of records that are in order: those that ``query(_:)`` finds.
  public init(_ rows: [Record] = []) {
    for row in rows {
      if let last = sections.last, last.name.hasSameBytes(as: row.group) {
        sections[sections.count - 1].rows.append(row)
      } else {
        sections.append(Section(name: row.group, rows: [row]))
      }
    }
  }

  /// What a list of the records that a predicate finds asks a store for.
  public static func query(_ predicate: RecordPredicate) -> RecordQuery {
    RecordQuery(predicate, sortedBy: [.ascending(.group), .ascending(.name)])
  }
}

/// Where a row stands in a list.
public struct ListPlace: Hashable, Comparable, Sendable {
  /// The section's place.
  public var section: Int
  /// Its own place in the section.
  public var item: Int

  /// Names a place.
  public init(section: Int, item: Int) {
    self.section = section
    self.item = item
  }

  public static func < (left: Self, right: Self) -> Bool { (left.section, left.item) < (right.section, right.item) }
}

/// What leads from one list to the next, in the terms of a table view, and so of NSFetchedResultsController: old places
/// are those before all of it, new ones those after it.
///
/// A row that only makes room for others is not mentioned. One whose values changed is moved if it stands at another
/// place among those whose order has not changed, or in another section; else it is updated.
public struct ListDifference: Sendable {
  /// What happened to one row.
  public enum RowChange: Sendable {
    /// It was there before.
    case deleted(ListPlace)
    /// It is there now.
    case inserted(Record, ListPlace)
    /// It stands elsewhere; its values are those of the record.
    case moved(Record, from: ListPlace, to: ListPlace)
    /// Its values are others, and it stays among its neighbours.
    case updated(Record, from: ListPlace, to: ListPlace)
  }

  /// The old places of sections that are gone.
  public var deletedSections: [Int] = []
  /// The new places of sections that have come.
  public var insertedSections: [Int] = []
  /// The rows that were changed, in no order.
  public var rows: [RowChange] = []

  /// No difference.
  public init() {}

  /// Whether both lists are the same.
  public var isEmpty: Bool { rows.isEmpty && deletedSections.isEmpty && insertedSections.isEmpty }
}
