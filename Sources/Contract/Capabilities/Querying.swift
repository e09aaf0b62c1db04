/// The capability to find, count and sum records by their fields, instead of reading and filtering all records.
public protocol Querying {
  /// Creates a persistent index on a field of the records, for faster queries. If the index exists, the call does
  /// nothing.
  ///
  /// - Returns: Whether the engine has the index after the call. Queries also work without an index.
  /// - Throws: ``StoreError``.
  func index(_ field: RecordField, in collection: CollectionID) throws -> Bool

  /// Passes the records that the query finds to the closure `body`, in the query's order, until the closure returns
  /// false.
  ///
  /// - Throws: ``StoreError``, and the closure's errors.
  func find(_ query: RecordQuery, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws

  /// Returns the records that the query finds, in the query's order. The default implementation calls
  /// ``find(_:in:_:)``.
  ///
  /// - Throws: ``StoreError``.
  func records(_ query: RecordQuery, in collection: CollectionID) throws -> [Record]

  /// Returns the number of records that the predicate finds.
  ///
  /// - Throws: ``StoreError``.
  func count(_ predicate: RecordPredicate, in collection: CollectionID) throws -> Int

  /// Counts the records that the predicate finds in each group. The result is sorted by the groups' UTF-8 bytes.
  ///
  /// - Throws: ``StoreError``.
  func countByGroup(_ predicate: RecordPredicate, in collection: CollectionID) throws -> [Grouped<Int>]

  /// Returns the sum, average, least and greatest score of the records that the predicate finds.
  ///
  /// - Throws: ``StoreError``.
  func summary(_ predicate: RecordPredicate, in collection: CollectionID) throws -> ScoreSummary

  /// Summarizes the scores of the records that the predicate finds in each group, sorted by the groups' UTF-8 bytes.
  ///
  /// - Throws: ``StoreError``.
  func summaryByGroup(_ predicate: RecordPredicate, in collection: CollectionID) throws -> [Grouped<ScoreSummary>]
}

extension Querying {
  /// Returns the records that the query finds in the store's first collection, in the query's order.
  ///
  /// - Throws: ``StoreError``.
  public func records(_ query: RecordQuery) throws -> [Record] { try records(query, in: .records) }

  public func records(_ query: RecordQuery, in collection: CollectionID) throws -> [Record] {
    try collect { try find(query, in: collection, $0) }
  }
}

/// A value that was computed for one group of records, such as the number of records in the group.
public struct Grouped<Value> {
  /// The text that all records of the group have in ``Record/group``.
  public let group: String
  /// The value that a query has computed from the records of one group, such as the number of these records.
  public let value: Value

  /// Creates a query result for one group of records: the group's text, and a value such as the number of its records.
  public init(group: String, value: Value) {
    self.group = group
    self.value = value
  }
}

extension Grouped: Sendable where Value: Sendable {}
extension Grouped: Equatable where Value: Equatable {}

/// The count, sum, minimum and maximum of the scores of some records. NaN scores are ignored, as SQL ignores NULL.
public struct ScoreSummary: Equatable, Sendable {
  /// The number of scores that are not NaN.
  public private(set) var count: Int
  /// The sum of the scores that are not NaN, or 0 without scores. Rounding depends on the order of the scores, so
  /// compare with a tolerance.
  public private(set) var sum: Double
  /// The least score, or nil if no score is a number.
  public private(set) var minimum: Double?
  /// The greatest score, or nil if no score is a number.
  public private(set) var maximum: Double?

  /// Creates a summary of the scores of some records, as computed by an engine. By default, the summary of no scores:
  /// count and sum are 0, minimum and maximum are nil.
  public init(count: Int = 0, sum: Double = 0, minimum: Double? = nil, maximum: Double? = nil) {
    self.count = count
    self.sum = sum
    self.minimum = minimum
    self.maximum = maximum
  }

  /// The sum of the scores divided by their count, or nil without scores.
  public var average: Double? { count == 0 ? nil : sum / Double(count) }

  /// Adds one more score to the summary. NaN is ignored.
  public mutating func add(_ score: Double) {
    guard !score.isNaN else { return }
    count += 1
    sum += score
    minimum = minimum.map { min($0, score) } ?? score
    maximum = maximum.map { max($0, score) } ?? score
  }
}
