/// The capability to find, count and sum records by their fields.
///
/// A query passes records to a closure, as the members of ``StorageBackend`` do. The query times of an engine with
/// columns and indexes show the benefit of columns and indexes. The query times of any other engine include the work
/// that an app must do instead: reading and filtering all records.
public protocol Querying {
  /// Creates an index on the field, so that the engine finds records by the field without examining all of them. The
  /// index still exists after the store is opened again. A second call does nothing.
  ///
  /// - Returns: Whether the engine has such an index after the call. Without an index, queries still give the same
  ///   answers.
  /// - Throws: ``StoreError``.
  func index(_ field: RecordField, in collection: CollectionID) throws -> Bool

  /// Passes the records that the query finds to the body, in the query's order, until the body returns false.
  ///
  /// - Throws: ``StoreError``, and the body's errors.
  func find(_ query: RecordQuery, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws

  /// Returns the results of the query as Swift values, in the query's order. The default copies the records that
  /// ``find(_:in:_:)`` passes. Override the default if the engine's library itself returns Swift values.
  ///
  /// - Throws: ``StoreError``.
  func records(_ query: RecordQuery, in collection: CollectionID) throws -> [Record]

  /// Returns the number of records that the predicate finds.
  ///
  /// - Throws: ``StoreError``.
  func count(_ predicate: RecordPredicate, in collection: CollectionID) throws -> Int

  /// Returns the groups of the records that the predicate finds, and the number of these records in each group. A list
  /// on a screen has one section for each group. The groups are ordered by their UTF-8 bytes.
  ///
  /// - Throws: ``StoreError``.
  func countByGroup(_ predicate: RecordPredicate, in collection: CollectionID) throws -> [Grouped<Int>]

  /// Returns the sum, average, least and greatest score of the records that the predicate finds.
  ///
  /// - Throws: ``StoreError``.
  func summary(_ predicate: RecordPredicate, in collection: CollectionID) throws -> ScoreSummary

  /// Returns the summary of the scores in each group of the records that the predicate finds. The groups are ordered by
  /// their UTF-8 bytes.
  ///
  /// - Throws: ``StoreError``.
  func summaryByGroup(_ predicate: RecordPredicate, in collection: CollectionID) throws -> [Grouped<ScoreSummary>]
}

extension Querying {
  /// Returns the results of the query on the first collection, which is the only one of most workloads.
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

/// A value that belongs to one group of records, such as the number of records in the group.
public struct Grouped<Value> {
  /// The group's text, as in ``Record/group``.
  public let group: String
  /// The value that belongs to the group.
  public let value: Value

  /// Pairs a group of records with its value.
  public init(group: String, value: Value) {
    self.group = group
    self.value = value
  }
}

extension Grouped: Sendable where Value: Sendable {}
extension Grouped: Equatable where Value: Equatable {}

/// The count, sum, minimum and maximum of the scores of some records. NaN scores are left out, as SQL leaves out NULL.
public struct ScoreSummary: Equatable, Sendable {
  /// The number of scores that are numbers and not NaN.
  public private(set) var count: Int = 0
  /// The sum of the scores, or 0 without scores. Compare sums with a tolerance, because the sum of fractions depends on
  /// the order in which the fractions are added.
  public private(set) var sum: Double = 0
  /// The least score, or nil if no score is a number.
  public private(set) var minimum: Double?
  /// The greatest score, or nil if no score is a number.
  public private(set) var maximum: Double?

  /// Creates the summary of no scores: count and sum are 0, minimum and maximum are nil.
  public init() {}

  /// Creates a summary from values that an engine has computed.
  public init(count: Int, sum: Double, minimum: Double?, maximum: Double?) {
    self.count = count
    self.sum = sum
    self.minimum = minimum
    self.maximum = maximum
  }

  /// The sum of the scores divided by their count, or nil without scores.
  public var average: Double? { count == 0 ? nil : sum / Double(count) }

  /// Adds one more score to the summary. NaN is left out.
  public mutating func add(_ score: Double) {
    guard !score.isNaN else { return }
    count += 1
    sum += score
    minimum = minimum.map { min($0, score) } ?? score
    maximum = maximum.map { max($0, score) } ?? score
  }
}
