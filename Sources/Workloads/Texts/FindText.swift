import Foundation
import StorageContract

/// A workload that searches for words in texts, as in the search field of an app with notes.
struct FindText: Workload {
  static let action = OptionSpec("do", ["find", "save"], help: "find a word, or replace a text and commit")
  static let index = OptionSpec(
    "index", ["no", "yes"], help: "search every text, or create an index of the words first")
  static let bytes = OptionSpec("bytes", ["2k", "10k"], help: "approximate length of a text")

  static let description = WorkloadDescription(
    id: "find-text", question: "What does finding a word in texts cost, and what does its index cost?",
    operation: """
      find the records whose text contains a word, as Swift values, by key; of ten words, seven are in about five texts, \
      two in none, and one only inside longer words. Or replace a text and commit
      """,
    options: [action, index, bytes], access: .writes,
    accessWith: { $0[action] == "save" ? .writes : .reads },
    capability: { $0[action] == "find" || $0[index] == "yes" ? .textSearching : nil },
    obstacle: { options, store in
      let type = store.backend as? any TextSearching.Type
      guard options[index] == "yes", type?.indexesWords(store.options) != true else { return nil }
      return "it has no index of words, so every text is looked at; that is the row with index=no"
    },
    words: { options in
      options[action] == "find" ? WorkloadWords("a search for a word in texts", .read, limit: .frame) : nil
    })

  /// The name under which reports show the number of bytes that an index of words adds to the store.
  static let indexBytes = "index_bytes"

  let options: Options

  private var length: Int { Quantity.bytes(options[Self.bytes]) ?? 2_000 }

  func countedOperations(records: Int, kind: EngineKind) -> Int {
    (options[Self.action] == "find" ? CountedOperations.queries : .changes).number(records: records, kind: kind)
  }

  var fixtureName: String { "texts-\(options[Self.bytes])" }

  func fixture(of source: any RecordSource) -> Fixture { Fixture(GeneratedTexts.records(of: source, length: length)) }

  func session(_ context: SessionContext) -> any WorkloadSession {
    let texts = GeneratedTexts(records: context.source.count, length: length)
    let isIndexed = options[Self.index] == "yes"
    guard options[Self.action] == "find" else { return TextSavingSession(context, texts, isIndexed: isIndexed) }
    let (model, order) = (TextModel(context.records), OrderedRecords(context.records))
    return QuerySession(
      context, blockSize: 64,
      open: {
        let (store, findings) = try context.openTexts(isIndexed: isIndexed)
        let searching = Capability.textSearching(of: store).value
        // The first search lets the store detect its index, which an app knows from its schema.
        do { _ = try searching.records(holding: TextWord(""), in: .records) } catch {
          try? store.close()
          throw error
        }
        return (store, searching, findings)
      },
      query: { operation in
        let number = context.drawn(operation, below: texts.rareWords)
        let word =
          switch operation % 10 {
          case 3: TextWord(GeneratedTexts.wordInside(operation / 10))
          case 5, 8: TextWord(GeneratedTexts.absentWord(number))
          default: TextWord(GeneratedTexts.rareWord(number))
          }
        return CheckedQuery(
          ask: { try $0.records(holding: word, in: .records) },
          check: { try order.check($0, against: model.indices(of: word.text), of: "with the word '\(word.text)'") },
          hash: { $0.add(word.text) })
      })
  }
}

extension SessionContext {
  /// Opens the store. If `isIndexed` is true, also creates an index of the words in the texts.
  ///
  /// - Returns: The store, and the number of bytes that the index added to the store's files, as a finding.
  func openTexts(isIndexed: Bool) throws -> (store: any StorageBackend, findings: [Finding]) {
    let store = try open()
    guard isIndexed else { return (store, []) }
    try store.settle()
    let before = DirectorySize.bytes(environment.directory)
    try Capability.textSearching(of: store).value.indexWords(in: .records)
    try store.settle()
    let grown = DirectorySize.bytes(environment.directory) - before
    // Building the index has read the whole store, so the cache is dropped again.
    try close(store)
    try cool()
    return (try open(), [Finding(FindText.indexBytes, Double(grown), .first)])
  }
}

enum DirectorySize {
  /// Returns the total size in bytes of all files below a directory; 0 if the directory does not exist.
  static func bytes(_ directory: String) -> Int {
    let manager = FileManager.default
    return (manager.enumerator(atPath: directory)?.compactMap { $0 as? String } ?? []).reduce(0) { sum, name in
      let size = try? manager.attributesOfItem(atPath: "\(directory)/\(name)")[.size] as? NSNumber
      return sum + (size?.intValue ?? 0)
    }
  }
}

/// A simple word search in memory, which gives the expected results of searches in the store.
final class TextModel {
  private let source: any RecordSource
  private lazy var indices: [ExactText: [Int]] = {
    var indices: [ExactText: [Int]] = [:]
    for index in 0..<source.count {
      for word in Set(Self.words(of: source.record(at: index).name).map { ExactText($0) }) {
        indices[word, default: []].append(index)
      }
    }
    return indices
  }()

  init(_ source: any RecordSource) { self.source = source }

  /// Returns the words of a text. An ASCII character that is neither a letter nor a digit separates words.
  static func words(of text: String) -> [String] {
    text.unicodeScalars.split { $0.isASCII && !($0.properties.isAlphabetic || ("0"..."9").contains($0)) }.map {
      String($0)
    }
  }

  func indices(of word: String) -> [Int] { indices[ExactText(word)] ?? [] }
}

/// A session that replaces the texts of records and checks that searches find the new texts.
private final class TextSavingSession: SessionStore, ChangingSession {
  let blockSize = 64
  private let texts: GeneratedTexts
  private let isIndexed: Bool
  private var block = Block<Record>()
  private(set) var findings: [Finding] = []

  init(_ context: SessionContext, _ texts: GeneratedTexts, isIndexed: Bool) {
    self.texts = texts
    self.isIndexed = isIndexed
    super.init(context)
  }

  func setUp() throws { (store, findings) = try context.openTexts(isIndexed: isIndexed) }

  private func record(_ operation: Int) -> Record {
    var record = context.drawnRecord(operation)
    record.name = texts.text(of: record.id, version: operation + 1)
    record.modified += Double(operation + 1)
    return record
  }

  func changes(_ operation: Int) -> [Change] { [.put(record(operation))] }

  func prepare(_ operations: Range<Int>) { block = Block(operations, record) }

  func perform(_ operation: Int) throws { try store.unsafelyUnwrapped.commit([.put(block[operation])]) }

  /// Checks that searches for rare words find the last saved record by its new text, and not by its initial text.
  func verify(_ operations: Range<Int>) throws {
    guard context.isVerifiable, let store, let last = block.last, operations.last == block.operations.last else {
      return
    }
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

  func bytesChanged(by operations: Int) -> Int { (0..<operations).reduce(0) { $0 + record($1).name.utf8.count + 8 } }
}
