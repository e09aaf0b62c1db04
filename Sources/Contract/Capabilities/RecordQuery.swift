/// A field of a record by which queries can sort and engines can index.
public enum RecordField: String, Sendable, CaseIterable {
  /// The field ``Record/id``, the record's key.
  case key
  /// The field ``Record/name``, ordered by its UTF-8 bytes.
  case name
  /// The field ``Record/group``, ordered by its UTF-8 bytes.
  case group
  /// The field ``Record/score``. NaN sorts before every number.
  case score
  /// The field ``Record/modified``, the time of the last change. NaN sorts before every number.
  case modified
}

/// A sort order by one field, ascending or descending.
public struct RecordOrder: Hashable, Sendable {
  /// The field by whose values records are sorted.
  public var field: RecordField
  /// Whether records are sorted from the greatest to the smallest value.
  public var isDescending: Bool

  /// Returns a sort order by a field, smallest value first.
  public static func ascending(_ field: RecordField) -> Self { Self(field: field, isDescending: false) }

  /// Returns a sort order by a field, greatest value first.
  public static func descending(_ field: RecordField) -> Self { Self(field: field, isDescending: true) }
}

/// A selection of records with an order and a limit.
///
///     RecordQuery(.group("Europe"), sortedBy: [.descending(.modified)], limit: 20)
public struct RecordQuery: Sendable {
  /// The condition that the selected records fulfill.
  public var predicate: RecordPredicate
  /// The sort orders of the query, the most significant one first. Records with equal values are sorted by key,
  /// ascending.
  public var order: [RecordOrder]
  /// The greatest number of records that the query returns, or nil for all records.
  public var limit: Int?
  /// The number of matching records to skip before the first result.
  public var offset: Int

  /// Describes a query for records. A negative limit or offset counts as 0.
  public init(
    _ predicate: RecordPredicate = .everything, sortedBy order: [RecordOrder] = [], limit: Int? = nil,
    offset: Int = 0
  ) {
    self.predicate = predicate
    self.order = order
    self.limit = limit.map { max($0, 0) }
    self.offset = max(offset, 0)
  }

  /// Returns whether the first record comes before the second in the query's order. Records with equal values are
  /// compared by key.
  public func precedes(_ first: Record, _ second: Record) -> Bool {
    for step in order {
      let sign = Self.compare(first, second, by: step.field)
      if sign != 0 { return (sign < 0) != step.isDescending }
    }
    return first.id < second.id
  }

  private static func compare(_ first: Record, _ second: Record, by field: RecordField) -> Int {
    switch field {
    case .key: first.id < second.id ? -1 : first.id > second.id ? 1 : 0
    case .name: ExactText.compare(first.name, second.name)
    case .group: ExactText.compare(first.group, second.group)
    case .score: compareNumbers(first.score, second.score)
    case .modified: compareNumbers(first.modified, second.modified)
    }
  }

  private static func compareNumbers(_ first: Double, _ second: Double) -> Int {
    switch (first.isNaN, second.isNaN) {
    case (true, true): 0
    case (true, false): -1
    case (false, true): 1
    case (false, false): first < second ? -1 : first > second ? 1 : 0
    }
  }
}
