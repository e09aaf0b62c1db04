import StorageContract
import Testing

@testable import StorageWorkloads

@Suite struct FindTextTests {
  @Test func wordsAreFoundAndSavesCheck() throws {
    #expect(try WorkloadTrial("find-text", options: ["do=save"]).complaint(operations: 30) == nil)
    #expect(try WorkloadTrial("find-text", source: RecordList([.sample(1)])).complaint(operations: 12) == nil)
  }

  /// Rare words are in about five texts and absent words in none. Words inside are only parts of longer ones.
  @Test func theWordsMatchTheirDescription() throws {
    let records = TextRecords(GeneratedRecords(count: 200, bytes: 4, seed: 1), length: 2_000)
    let texts = GeneratedTexts(records: 200, length: 2_000)
    let model = TextModel(records)
    let counts = (0..<texts.rareWords).map { model.indices(of: GeneratedTexts.rareWord($0)).count }
    #expect(counts.reduce(0, +) > 400 && counts.max()! < 25)
    #expect((0..<50).allSatisfy { model.indices(of: GeneratedTexts.absentWord($0)).isEmpty })
    #expect((0..<2).allSatisfy { model.indices(of: GeneratedTexts.wordInside($0)).isEmpty })
    #expect(records.all.contains { $0.name.contains(GeneratedTexts.wordInside(1)) })
    #expect(records.all.allSatisfy { (2_000..<2_200).contains($0.name.utf8.count) })
    #expect(model.indices(of: "the").count > 190)
    // The model and the definition find the same texts for every word.
    for word in ["the", "resume", "Résumé", "4", "42", "記", "🌿"] + (0..<40).map(GeneratedTexts.rareWord) {
      let found = records.all.indices.filter { index in
        records.record(at: index).withView { TextWord(word).isIn($0.name) }
      }
      #expect(found == model.indices(of: word), "\(word)")
    }
  }

  @Test func wrongAnswersAreNamed() throws {
    #expect(try WorkloadTrial("find-text", backend: FindsInside.self).complaint(operations: 20) != nil)
    #expect(
      try WorkloadTrial("find-text", backend: FindsLess.self).complaint(operations: 20)?
        .contains("is missing from the records with the word") == true)
    // The old index finds a record by a removed word, misses a new word, or finds an unchanged word with the old text.
    let old = try WorkloadTrial("find-text", options: ["do=save"], backend: KeepsOldWords.self).complaint(operations: 8)
    #expect(old?.contains("found by the word") == true || old?.contains("has a wrong name") == true, "\(old ?? "")")
  }
}

/// A store with its own search for words.
private class Searching: Faulty, TextSearching {
  class func indexesWords(_ options: Options) -> Bool { false }
  func indexWords(in collection: CollectionID) throws {}
  func records(holding word: TextWord, in collection: CollectionID) throws -> [Record] {
    try Capability.textSearching(of: inner).value.records(holding: word, in: collection)
  }
}

/// A store that takes parts of words for words.
private final class FindsInside: Searching {
  override func records(holding word: TextWord, in collection: CollectionID) throws -> [Record] {
    try inner.records(.all, in: collection).filter { $0.name.contains(word.text) }
  }
}

/// A store that leaves out the last record it has found.
private final class FindsLess: Searching {
  override func records(holding word: TextWord, in collection: CollectionID) throws -> [Record] {
    try super.records(holding: word, in: collection).dropLast()
  }
}

/// A store whose index is not changed by saves.
private final class KeepsOldWords: Searching {
  private lazy var old = (try? inner.records(.all, in: .records)) ?? []
  override func commit(_ changes: [Change]) throws {
    _ = old
    try super.commit(changes)
  }
  override func records(holding word: TextWord, in collection: CollectionID) throws -> [Record] {
    old.filter { $0.withView { word.isIn($0.name) } }
  }
}
