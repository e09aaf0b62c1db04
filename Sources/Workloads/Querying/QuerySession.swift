import StorageContract

/// The queries of a workload, one per operation, with a check of their results.
protocol QueryStream<Query, Answer>: AnyObject {
  associatedtype Query
  associatedtype Answer

  /// The field whose index is created before the first query, or nil if no index is created.
  var indexed: RecordField? { get }
  /// The approximate number of records in the result of one query, such as 20. A session keeps the results of several
  /// queries in memory until all are checked together. If results are larger, the session keeps fewer at once.
  var answerSize: Int { get }

  /// Returns the query of an operation. The same operation number always gives the same query.
  func query(_ operation: Int) -> Query
  /// Runs a query. Only this call is timed.
  func ask(_ query: Query, _ querying: any Querying, _ store: any StorageBackend) throws -> Answer
  func check(_ answer: Answer, to query: Query) throws
  func hash(_ query: Query, into hash: inout StableHash)
}

/// A session that makes one query per operation.
final class QuerySession<Stream: QueryStream>: StoreSession {
  let blockSize: Int
  let context: SessionContext
  private let stream: Stream
  var store: (any StorageBackend)?
  private var querying: (any Querying)?
  private var block = Block<Stream.Query>()
  private var answers: [Stream.Answer?] = []

  init(_ context: SessionContext, _ stream: Stream) {
    self.context = context
    self.stream = stream
    // Results are kept until their block is checked, so a block has at most 8 MB of records.
    blockSize = max(1, min(256, (8 << 20) / (max(1, stream.answerSize) * (context.recordBytes + 100))))
  }

  func setUp() throws {
    let store = try context.open(indexing: stream.indexed.map { [$0] } ?? [])
    self.store = store
    querying = Capability.querying(of: store).value
  }

  func prepare(_ operations: Range<Int>) {
    block = Block(operations, stream.query)
    answers = Array(repeating: nil, count: operations.count)
  }

  func perform(_ operation: Int) throws {
    answers[block.index(of: operation)] = try stream.ask(
      block[operation], querying.unsafelyUnwrapped, store.unsafelyUnwrapped)
  }

  func verify(_ operations: Range<Int>) throws {
    guard context.isVerifiable else { return }
    for operation in operations {
      guard let answer = answers[block.index(of: operation)] else {
        throw VerificationError(key: nil, "no query was made, so nothing was checked")
      }
      try stream.check(answer, to: block[operation])
    }
  }

  func finish() throws {
    (block, answers, querying) = (Block(), [], nil)
    try close()
  }

  func expectation(after operations: Int) -> Expectation { Expectation(context.source) }

  func hash(_ operation: Int, into hash: inout StableHash) { stream.hash(stream.query(operation), into: &hash) }
}

final class RecordQueryStream: QueryStream {
  /// A query, the indices of the records that it should return, and a phrase for error messages.
  struct CheckedQuery {
    var query: RecordQuery
    /// A phrase for error messages that describes the records that the query should find, such as "of the name 'Anna'".
    /// A message can be "record 7 is missing from the records of the name 'Anna'".
    var phrase: String
    var expected: () -> [Int]
    var hash: (inout StableHash) -> Void
  }

  let indexed: RecordField?
  let answerSize: Int
  private let model: OrderedRecords
  private let makeQuery: (Int) -> CheckedQuery

  init(indexed: RecordField?, answerSize: Int, model: OrderedRecords, query: @escaping (Int) -> CheckedQuery) {
    self.indexed = indexed
    self.answerSize = answerSize
    self.model = model
    makeQuery = query
  }

  func query(_ operation: Int) -> CheckedQuery { makeQuery(operation) }

  func ask(_ query: CheckedQuery, _ querying: any Querying, _ store: any StorageBackend) throws -> [Record] {
    try querying.records(query.query, in: .records)
  }

  func check(_ answer: [Record], to query: CheckedQuery) throws {
    try model.check(answer, against: query.expected(), of: query.phrase)
  }

  func hash(_ query: CheckedQuery, into hash: inout StableHash) { query.hash(&hash) }
}
