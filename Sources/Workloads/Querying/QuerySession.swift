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
final class QuerySession<Engine, Answer>: SessionStore, StoreSession {
  let blockSize: Int
  private let open: () throws -> (store: any StorageBackend, engine: Engine, findings: [Finding])
  private let query: (Int) -> CheckedQuery<Engine, Answer>
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
    (self.open, self.query) = (open, query)
    // Answers are kept until their block is checked, so a block has at most 8 MB of records.
    self.blockSize = blockSize ?? max(1, min(256, (8 << 20) / (max(1, answerSize) * (context.recordBytes + 100))))
    super.init(context)
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
  /// Creates a session whose queries find about `answerSize` records each. If the option `index` is `yes`, the field
  /// `field` gets an index first. `query` gets the number of an operation and a model of the records.
  convenience init(
    _ context: SessionContext, _ options: Options, field: RecordField, answerSize: Int,
    query: @escaping (Int, OrderedRecords) -> CheckedQuery<Engine, Answer>
  ) {
    let model = OrderedRecords(context.records)
    self.init(
      context, answerSize: answerSize,
      open: {
        let store = try context.open(indexing: options[FindOptions.index] == "yes" ? [field] : [])
        return (store, Capability.querying(of: store).value, [])
      }, query: { query($0, model) })
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

extension QuerySession {
  /// Creates a session whose query computes a value for each group of records, such as the sum of scores.
  ///
  /// - Parameters:
  ///   - engine: Converts the open store to the interface that `compute` calls. Only `compute` is timed.
  ///   - complaint: Returns an error text about a wrong value, or nil if the value is right.
  convenience init<Value>(
    _ context: SessionContext, grouping name: String, expected: @autoclosure @escaping () -> [Grouped<Value>],
    by engine: @escaping (any StorageBackend) -> Engine, _ compute: @escaping (Engine) throws -> Answer,
    complaint: @escaping (_ found: Value, _ expected: Value) -> String?
  ) where Answer == [Grouped<Value>] {
    let query = CheckedQuery<Engine, Answer>(
      ask: compute, check: { try Self.check($0, expected(), complaint) }, hash: { $0.add(name) })
    self.init(
      context,
      open: {
        let store = try context.open()
        return (store, engine(store), [])
      }, query: { _ in query })
  }

  private static func check<Value>(
    _ found: [Grouped<Value>], _ expected: [Grouped<Value>], _ complaint: (Value, Value) -> String?
  ) throws {
    for (index, group) in expected.enumerated() {
      guard index < found.count, found[index].group.hasSameBytes(as: group.group) else {
        let isThere = found.contains { $0.group.hasSameBytes(as: group.group) }
        throw VerificationError("group '\(group.group.visible)' is \(isThere ? "in the wrong position" : "missing")")
      }
      if let complaint = complaint(found[index].value, group.value) {
        throw VerificationError("group '\(group.group.visible)' \(complaint)")
      }
    }
    if found.count > expected.count {
      throw VerificationError("group '\(found[expected.count].group.visible)' is there but should not be")
    }
  }
}
