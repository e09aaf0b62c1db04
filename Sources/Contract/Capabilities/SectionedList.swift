/// A list on a screen with a section for each group. Sections are sorted by group, their records by name and then by
/// key. Texts are sorted by UTF-8 bytes.
public struct SectionedList: Sendable {
  /// A section of a list on a screen, with the records of one group.
  public struct Section: Sendable {
    /// The section's name, which is the group of its records.
    public let name: String
    /// The records of the section, sorted by name and then by key. A section has at least one record.
    public var rows: [Record]
  }

  /// The sections of the list, in order.
  public var sections: [Section] = []

  /// Creates a list from records that are sorted by group, name and key. Each group of records becomes a section.
  public init(_ rows: [Record] = []) {
    for row in rows {
      if let last = sections.last, last.name.hasSameBytes(as: row.group) {
        sections[sections.count - 1].rows.append(row)
      } else {
        sections.append(Section(name: row.group, rows: [row]))
      }
    }
  }

  /// Returns the query for a list of the records that the predicate selects. The query sorts by group, name and key.
  public static func query(_ predicate: RecordPredicate) -> RecordQuery {
    RecordQuery(predicate, sortedBy: [.ascending(.group), .ascending(.name)])
  }
}

/// The position of a row in a list: the index of its section, and the index of the row within the section.
public struct ListPosition: Hashable, Comparable, Sendable {
  /// The index of the row's section.
  public var section: Int
  /// The index of the row within its section.
  public var item: Int

  /// Creates the position of a row in a list with sections.
  public init(section: Int, item: Int) {
    self.section = section
    self.item = item
  }

  public static func < (left: Self, right: Self) -> Bool { (left.section, left.item) < (right.section, right.item) }
}

/// The changes between two versions of a list, as table views need them. A row whose index changes only because of
/// other rows is omitted.
public struct ListDifference: Sendable {
  /// A change of one row of a list.
  public enum RowChange: Sendable {
    /// The row existed only in the old list, at the given position.
    case deleted(ListPosition)
    /// The row exists only in the new list, with the given record and position.
    case inserted(Record, ListPosition)
    /// The row has moved to another section or past other rows, from its old to its new position, and has the given
    /// values.
    case moved(Record, from: ListPosition, to: ListPosition)
    /// The row has the given new values and keeps its order among the other rows. Inserted or deleted rows may have
    /// changed its index.
    case updated(Record, from: ListPosition, to: ListPosition)
  }

  /// The indices of the deleted sections in the old list.
  public var deletedSections: [Int] = []
  /// The indices of the inserted sections in the new list.
  public var insertedSections: [Int] = []
  /// The deleted, inserted, moved and updated rows of the list, in no particular order.
  public var rows: [RowChange] = []

  /// Creates an empty difference, as between two equal lists.
  public init() {}

  /// Whether the old and the new version of the list are equal.
  public var isEmpty: Bool { rows.isEmpty && deletedSections.isEmpty && insertedSections.isEmpty }
}
