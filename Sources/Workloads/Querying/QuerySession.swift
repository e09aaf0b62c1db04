import StorageContract

/// One query, with a check of the answer that the store gives.
struct CheckedQuery<Engine, Answer> {
  /// A function that runs the query. Only this call is timed.
  var ask: (Engine) throws -> Answer
  /// A function that checks the store's answer to the query. Throws ``VerificationError`` if the answer is wrong.
  var check: (Answer) throws -> Void
  /// A function that adds the query's input, such as the name searched for, to a hash.
  var hash: (inout StableHash) -> Void
}

/// A session that makes one query per operation.
final class QuerySession<Engine, Answer>: StoreSession {
  let blockSize: Int
  let context: SessionContext
  private let open: () throws -> (store: any StorageBackend, engine: Engine, findings: [Finding])
  private let query: (Int) -> CheckedQuery<Engine, Answer>
  var store: (any StorageBackend)?
  private var engine: Engine?
  private(set) var findings: [Finding] = []
  private var block = Block<CheckedQuery<Engine, Answer>>()
  private var answers: [Answer?] = []

  /// Creates a session that makes one query per operation.
  ///
  /// - Parameters:
  ///   - answerSize: The approximate number of records in one answer.
  ///   - open: Opens the store before the first query.
  ///   - query: Returns the query of an operation. Equal numbers give equal queries.
  init(
    _ context: SessionContext, answerSize: Int = 1, blockSize: Int? = nil,
    open: @escaping () throws -> (store: any StorageBackend, engine: Engine, findings: [Finding]),
    query: @escaping (Int) -> CheckedQuery<Engine, Answer>
  ) {
    (self.context, self.open, self.query) = (context, open, query)
    // Answers are kept until their block is checked, so a block has at most 8 MB of records.
    self.blockSize = blockSize ?? max(1, min(256, (8 << 20) / (max(1, answerSize) * (context.recordBytes + 100))))
  }

  func setUp() throws { (store, engine, findings) = try open() }

  func prepare(_ operations: Range<Int>) {
    block = Block(operations, query)
    answers = Array(repeating: nil, count: operations.count)
  }

  func perform(_ operation: Int) throws {
    answers[block.index(of: operation)] = try block[operation].ask(engine.unsafelyUnwrapped)
  }

  func verify(_ operations: Range<Int>) throws {
    guard context.isVerifiable else { return }
    for operation in operations {
      guard let answer = answers[block.index(of: operation)] else {
        throw VerificationError(
          "an operation is verified whose query was not made; perform each operation before verifying it")
      }
      try block[operation].check(answer)
    }
  }

  func finish() throws {
    (block, answers, engine) = (Block(), [], nil)
    try close()
  }

  func hash(_ operation: Int, into hash: inout StableHash) { query(operation).hash(&hash) }
}

extension QuerySession where Engine == any Querying, Answer == [Record] {
  /// Creates a session whose queries find about `answerSize` records each. The field `indexed`, if any, gets an index
  /// first.
  convenience init(
    _ context: SessionContext, indexed: RecordField?, answerSize: Int,
    query: @escaping (Int) -> CheckedQuery<Engine, Answer>
  ) {
    self.init(
      context, answerSize: answerSize,
      open: {
        let store = try context.open(indexing: indexed.map { [$0] } ?? [])
        return (store, Capability.querying(of: store).value, [])
      }, query: query)
  }
}

extension CheckedQuery where Engine == any Querying, Answer == [Record] {
  /// Creates a query that should find the records at the indices `expected` of `model`.
  ///
  /// - Parameter phrase: A description of the records for error messages, such as "of the name 'Anna'".
  init(
    _ query: RecordQuery, phrase: String, in model: OrderedRecords, expected: @escaping () -> [Int],
    hash: @escaping (inout StableHash) -> Void
  ) {
    ask = { try $0.records(query, in: .records) }
    check = { try model.check($0, against: expected(), of: phrase) }
    self.hash = hash
  }
}
