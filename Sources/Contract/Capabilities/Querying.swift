/// The capability to find, count and sum records by their fields.
///
/// It passes records as the required members do, so an engine with columns and indexes shows what they are worth,
/// and one without is measured with what its app has to do: read everything and filter.
public protocol Querying {
  /// Sees to it that the engine finds records by the field without looking at all of them, from now on and after
  /// reopening. A second call does nothing.
  ///
  /// - Returns: Whether the engine has such an index; an engine without says false and answers all the same.
  /// - Throws: ``StoreError``.
  func index(_ field: RecordField, in collection: CollectionID) throws -> Bool

  /// Passes what the query asks for, in its order, until the body returns false.
  ///
  /// - Throws: ``StoreError``, and what the body throws.
  func find(_ query: RecordQuery, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws

  /// What the query asks for as Swift values, in its order. The default copies what ``find(_:in:_:)`` passes; override it
  /// where the engine's library hands out such values.
  ///
  /// - Throws: ``StoreError``.
  func records(_ query: RecordQuery, in collection: CollectionID) throws -> [Record]

  /// The number of records that the predicate finds.
  ///
  /// - Throws: ``StoreError``.
  func count(_ predicate: RecordPredicate, in collection: CollectionID) throws -> Int

  /// The groups of the records that the predicate finds, in the order of their UTF-8 bytes, with the number of
  /// records in each: the sections of a list.
  ///
  /// - Throws: ``StoreError``.
  func countByGroup(_ predicate: RecordPredicate, in collection: CollectionID) throws -> [Grouped<Int>]

  /// Sum, average, least and greatest score of the records that the predicate finds.
  ///
  /// - Throws: ``StoreError``.
  func summary(_ predicate: RecordPredicate, in collection: CollectionID) throws -> ScoreSummary

  /// The same for every group that the predicate finds, in the order of the groups' UTF-8 bytes.
  ///
  /// - Throws: ``StoreError``.
  func summaryByGroup(
    _ predicate: RecordPredicate, in collection: CollectionID
  ) throws -> [Grouped<ScoreSummary>]
}

extension Querying {
  /// What the query asks for, of the collection that most workloads know as the only one.
  ///
  /// - Throws: ``StoreError``.
  public func records(_ query: RecordQuery) throws -> [Record] { try records(query, in: .records) }

  public func records(_ query: RecordQuery, in collection: CollectionID) throws -> [Record] {
    var records: [Record] = []
    try find(query, in: collection) { view in
      records.append(view.record())
      return true
    }
    return records
  }
}

/// A value of one group.
public struct Grouped<Value> {
  /// The group, as ``Record/group``.
  public let group: String
  /// What was computed for it.
  public let value: Value

  /// Pairs a group with its value.
  public init(group: String, value: Value) {
    self.group = group
    self.value = value
  }
}

extension Grouped: Sendable where Value: Sendable {}
extension Grouped: Equatable where Value: Equatable {}

/// What the scores of some records come to. Scores that are not a number are left out, as SQL leaves out NULL.
public struct ScoreSummary: Equatable, Sendable {
  /// The number of scores that are numbers.
  public private(set) var count: Int = 0
  /// Their sum, 0 without any. Engines add in orders of their own: compare fractions with a tolerance.
  public private(set) var sum: Double = 0
  /// The least, or nil without any.
  public private(set) var minimum: Double?
  /// The greatest, or nil without any.
  public private(set) var maximum: Double?

  /// The summary of no scores.
  public init() {}

  /// A summary that an engine computed.
  public init(count: Int, sum: Double, minimum: Double?, maximum: Double?) {
    self.count = count
    self.sum = sum
    self.minimum = minimum
    self.maximum = maximum
  }

  /// The sum divided by the count, or nil without any.
  public var average: Double? { count == 0 ? nil : sum / Double(count) }

  /// Takes one more score into account.
  public mutating func add(_ score: Double) {
    guard !score.isNaN else { return }
    count += 1
    sum += score
    minimum = minimum.map { min($0, score) } ?? score
    maximum = maximum.map { max($0, score) } ?? score
  }
}
