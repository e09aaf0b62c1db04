import StorageContract

/// A session that replaces the texts of records and checks that searches find the new texts.
final class TextSavingSession: ChangingSession {
  let blockSize = 64
  let context: SessionContext
  private let texts: GeneratedTexts
  private let isIndexed: Bool
  var store: (any StorageBackend)?
  private var block = Block<Record>()
  private var indexBytes = 0

  init(_ context: SessionContext, _ texts: GeneratedTexts, isIndexed: Bool) {
    self.context = context
    self.texts = texts
    self.isIndexed = isIndexed
  }

  func setUp() throws { (store, indexBytes) = try context.openTexts(isIndexed: isIndexed) }

  private func record(_ operation: Int) -> Record {
    var record = context.drawnRecord(operation)
    record.name = texts.text(of: record.id, version: operation + 1)
    record.modified += Double(operation + 1)
    return record
  }

  func changes(_ operation: Int) -> [Change] { [.put(record(operation))] }

  func prepare(_ operations: Range<Int>) { block = Block(operations, record) }

  func perform(_ operation: Int) throws { try store.unsafelyUnwrapped.commit([.put(block[operation])]) }

  /// Checks that searches for rare words of the last saved text find its record. Searches for rare words that were only
  /// in the record's initial text must not find the record.
  func verify(_ operations: Range<Int>) throws {
    guard context.isVerifiable, let store, let last = block.last, operations.upperBound == block.end else { return }
    let searching = Capability.textSearching(of: store).value
    let present = Set(TextModel.words(of: last.name).map { ExactText($0) })
    let rare = { (version: Int) in
      self.texts.rareWords(of: last.id, version: version).map { GeneratedTexts.rareWord($0) }
    }
    for word in rare(operations.upperBound) + rare(0) {
      let found = try searching.records(holding: TextWord(word), in: .records).first { $0.id == last.id }
      let expected = present.contains(ExactText(word))
      guard (found != nil) == expected else {
        throw VerificationError(
          key: last.id,
          "is \(expected ? "not " : "")found by the word '\(word)', "
            + "which an update has \(expected ? "added to" : "removed from") its text")
      }
      if let found { try Expectation.compare(found, with: last, key: last.id) }
    }
  }

  var findings: [Finding] { isIndexed ? [Finding(FindText.indexBytes, Double(indexBytes), .first)] : [] }

  func bytesChanged(by operations: Int) -> Int { (0..<operations).reduce(0) { $0 + record($1).name.utf8.count + 8 } }
}
