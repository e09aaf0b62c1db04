import StorageContract

/// A store with queries whose answers can be falsified. Reads by key and scans are correct.
class QueryingStore: Faulty, Querying {
  /// The falsification of answers.
  struct Fault {
    var records: ([Record]) -> [Record] = { $0 }
    var counts: ([Grouped<Int>]) -> [Grouped<Int>] = { $0 }
    var figures: ([Grouped<ScoreSummary>]) -> [Grouped<ScoreSummary>] = { $0 }
    /// Whether it claims to support indexes.
    var indexes = true
  }

  private let fault: Fault
  /// The fields for which an index was requested.
  private(set) var indexed: [RecordField] = []
  /// The number of records in each answer to a query for records.
  private(set) var answers: [Int] = []
  /// The offset of each query for records.
  private(set) var offsets: [Int] = []
  /// The number of queries.
  private(set) var questions = 0

  private var right: any Querying { Capability.querying(of: inner).value }

  required convenience init(opening environment: StoreEnvironment) throws { self.init([]) }

  convenience init(_ records: [Record], _ fault: Fault = Fault()) { self.init(over: ModelStore(records), fault) }

  init(over store: ModelStore, _ fault: Fault) {
    self.fault = fault
    super.init(over: store)
  }

  func index(_ field: RecordField, in collection: CollectionID) throws -> Bool {
    indexed.append(field)
    return fault.indexes
  }

  func find(_ query: RecordQuery, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {
    questions += 1
    offsets.append(query.offset)
    let records = fault.records(try right.records(query, in: collection))
    answers.append(records.count)
    for record in records {
      guard try record.withView(body) else { return }
    }
  }

  func count(_ predicate: RecordPredicate, in collection: CollectionID) throws -> Int {
    questions += 1
    return try right.count(predicate, in: collection)
  }

  func countByGroup(_ predicate: RecordPredicate, in collection: CollectionID) throws -> [Grouped<Int>] {
    questions += 1
    return fault.counts(try right.countByGroup(predicate, in: collection))
  }

  func summary(_ predicate: RecordPredicate, in collection: CollectionID) throws -> ScoreSummary {
    questions += 1
    return try right.summary(predicate, in: collection)
  }

  func summaryByGroup(_ predicate: RecordPredicate, in collection: CollectionID) throws -> [Grouped<ScoreSummary>] {
    questions += 1
    return fault.figures(try right.summaryByGroup(predicate, in: collection))
  }
}
