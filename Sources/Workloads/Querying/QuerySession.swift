import StorageContract

/// A question that a workload asks again and again, each time about something else.
protocol QuerySubject<Question, Answer>: AnyObject {
  /// What one operation asks for.
  associatedtype Question
  /// What the store answers.
  associatedtype Answer

  /// The field that the store is told to index before it is asked, or nil.
  var indexed: RecordField? { get }
  /// A bound for how many records an answer holds.
  var answerSize: Int { get }

  /// The question of an operation: a pure function of its number.
  func question(_ operation: Int) -> Question
  /// Puts it: the part that is timed.
  func ask(_ question: Question, _ querying: any Querying, _ store: any StorageBackend) throws -> Answer
  /// Checks an answer.
  ///
  /// - Throws: ``VerificationError``.
  func check(_ answer: Answer, to question: Question) throws
  /// Adds a question to a hash.
  func hash(_ question: Question, into hash: inout StableHash)
}

/// A session whose operation asks the store one question.
final class AskingSession<Subject: QuerySubject>: WorkloadSession {
  let blockSize: Int
  let limit: Int? = nil
  private let context: SessionContext
  private let subject: Subject
  private var store: (any StorageBackend)?
  private var querying: (any Querying)?
  private var questions: [Subject.Question] = []
  private var answers: [Subject.Answer?] = []
  private var blockStart = 0

  init(_ context: SessionContext, _ subject: Subject) {
    self.context = context
    self.subject = subject
    // Answers wait for the check between two blocks: no more of them than 8 MB of records.
    blockSize = max(1, min(256, (8 << 20) / (max(1, subject.answerSize) * (context.recordBytes + 100))))
  }

  var settings: String { store?.settings ?? "" }

  func setUp() throws {
    var store = try context.open()
    if let field = subject.indexed {
      guard try Capability.querying(of: store).value.index(field, in: .records) else {
        throw StoreError.failed("the store makes no index of the \(field.rawValue); run this with index=no")
      }
      // An index is there when an app is launched. Making it has read the whole store, which is to be cold again.
      try store.settle()
      try context.close(store)
      try context.cool()
      store = try context.open()
    }
    self.store = store
    querying = Capability.querying(of: store).value
  }

  func prepare(_ operations: Range<Int>) {
    questions = operations.map(subject.question)
    answers = Array(repeating: nil, count: operations.count)
    blockStart = operations.lowerBound
  }

  func perform(_ operation: Int) throws {
    let place = operation - blockStart
    answers[place] = try subject.ask(
      questions[place], querying.unsafelyUnwrapped, store.unsafelyUnwrapped)
  }

  func verify(_ operations: Range<Int>) throws {
    guard context.isVerifiable else { return }
    for operation in operations {
      let place = operation - blockStart
      guard let answer = answers[place] else { throw VerificationError(key: nil, "nothing was asked") }
      try subject.check(answer, to: questions[place])
    }
  }

  func finish() throws {
    (questions, answers, querying) = ([], [], nil)
    try store.map(context.close)
    store = nil
  }

  func expectation(after operations: Int) -> Expectation { Expectation(context.source) }

  func hash(_ operation: Int, into hash: inout StableHash) {
    subject.hash(subject.question(operation), into: &hash)
  }
}

/// A subject that asks for records.
final class RecordSubject: QuerySubject {
  /// A query, what it is called in a sentence, and where its answer is found in the model.
  struct Question {
    var query: RecordQuery
    /// To follow "the records".
    var words: String
    var expected: () -> [Int]
    var hash: (inout StableHash) -> Void
  }

  let indexed: RecordField?
  let answerSize: Int
  private let model: OrderedRecords
  private let makeQuestion: (Int) -> Question

  init(indexed: RecordField?, answerSize: Int, model: OrderedRecords, question: @escaping (Int) -> Question) {
    self.indexed = indexed
    self.answerSize = answerSize
    self.model = model
    makeQuestion = question
  }

  func question(_ operation: Int) -> Question { makeQuestion(operation) }

  func ask(_ question: Question, _ querying: any Querying, _ store: any StorageBackend) throws -> [Record] {
    try querying.records(question.query, in: .records)
  }

  func check(_ answer: [Record], to question: Question) throws {
    try model.check(answer, against: question.expected(), of: question.words)
  }

  func hash(_ question: Question, into hash: inout StableHash) { question.hash(&hash) }
}

/// What the workloads that find by predicate have in common.
enum Finding {
  /// Whether the engine may use an index.
  static let index = OptionSpec(
    "index", ["no", "yes"], help: "let the engine look at all records, or make an index of the field first")

  /// About which share of the records is found.
  static let select = OptionSpec("select", ["0.1%", "1%", "10%"], help: "about which share of the records is found")

  /// How many records a share comes to: at least one.
  static func target(_ options: Options, of records: Int) -> Int {
    let share = Double(options[select].dropLast()).map { $0 / 100 } ?? 0
    return max(1, min(records, Int((Double(records) * share).rounded())))
  }

  /// The field, where an index of it is asked for.
  static func indexed(_ field: RecordField, _ options: Options) -> RecordField? {
    options[index] == "yes" ? field : nil
  }

  /// Why there is no row with an index for a backend that is asked through the emulation: its keys are all it finds by.
  @Sendable
  static func obstacle(_ options: Options, _ backend: any StorageBackend.Type) -> String? {
    guard options[index] == "yes", !Capability.querying.isNative(in: backend) else { return nil }
    return "it has no indexes but that of its keys, so every record is looked at; that is the row with index=no"
  }
}

/// How many queries the cost pass counts that may look at every record, on every kind of engine: as many as the digest
/// takes, since all of their answers are held until they are checked.
func countedQueries(records: Int) -> Int { records > 1_000 ? 2 : 8 }

extension SessionContext {
  /// The random numbers of an operation.
  func dice(_ operation: Int) -> RandomStream { RandomStream(seed: seed, .key, operation) }
}
