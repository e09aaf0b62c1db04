import StorageContract

final class TextFindingSession: StoreSession {
  let blockSize = 64
  let context: SessionContext
  private let texts: GeneratedTexts
  private let isIndexed: Bool
  private let model: TextModel
  private let order: OrderedRecords
  var store: (any StorageBackend)?
  private var searching: (any TextSearching)?
  private var block = Block<TextWord>()
  private var answers: [[Record]?] = []
  private var indexBytes = 0

  init(_ context: SessionContext, _ texts: GeneratedTexts, isIndexed: Bool) {
    self.context = context
    self.texts = texts
    self.isIndexed = isIndexed
    (model, order) = (TextModel(context.records), OrderedRecords(context.records))
  }

  func setUp() throws {
    let (store, bytes) = try context.openTexts(isIndexed: isIndexed)
    (self.store, indexBytes) = (store, bytes)
    let searching = Capability.textSearching(of: store).value
    // The first search lets the store detect its index, which an app knows from its schema.
    _ = try searching.records(holding: TextWord(""), in: .records)
    self.searching = searching
  }

  /// Returns the word that an operation searches for. The same operation number always gives the same word.
  private func word(_ operation: Int) -> TextWord {
    var random = context.random(of: operation)
    let number = random.below(texts.rareWords)
    return switch operation % 10 {
    case 3: TextWord(GeneratedTexts.wordInside(operation / 10))
    case 5, 8: TextWord(GeneratedTexts.absentWord(number))
    default: TextWord(GeneratedTexts.rareWord(number))
    }
  }

  func prepare(_ operations: Range<Int>) {
    block = Block(operations, word)
    answers = Array(repeating: nil, count: operations.count)
  }

  func perform(_ operation: Int) throws {
    answers[block.index(of: operation)] =
      try searching.unsafelyUnwrapped.records(holding: block[operation], in: .records)
  }

  func verify(_ operations: Range<Int>) throws {
    guard context.isVerifiable else { return }
    for operation in operations {
      guard let answer = answers[block.index(of: operation)] else {
        throw VerificationError(key: nil, "no query was made, so nothing was checked")
      }
      let word = block[operation].text
      try order.check(answer, against: model.indices(of: word), of: "with the word '\(word)'")
    }
  }

  var findings: [Finding] { isIndexed ? [Finding(FindText.indexBytes, Double(indexBytes), .first)] : [] }

  func finish() throws {
    (block, answers, searching) = (Block(), [], nil)
    try close()
  }

  func expectation(after operations: Int) -> Expectation { Expectation(context.source) }

  func hash(_ operation: Int, into hash: inout StableHash) { hash.add(word(operation).text) }
}
