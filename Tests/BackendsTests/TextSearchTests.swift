import Foundation
import StorageContract
import Testing

@testable import StorageBackends

/// Searches for words give the same records by every native method and by a scan.
@Suite struct TextSearchTests {
  static let searching = [
    Configuration("sqlite"), Configuration("sqlite", ["connection=per-operation"]),
    Configuration("sqlite", ["as=apple"]), Configuration("sqlite-queue"), Configuration("sqlite-queue", ["pool=yes"]),
    Configuration("object-graph"), Configuration("object-graph", ["store=binary"]),
  ]

  /// Texts that an index or a database may handle wrongly.
  private static let pieces = [
    "word", "Word", "WORD", "wörd", "wo\u{308}rd", "words", "sword", "слово", "СЛОВО", "語", "語学", "단어", "तारीख",
    "تاريخ", "🌿", "🌿🌿", "ſ", "s", "ß", "ss", "İ", "i\u{307}", "𐒰", "𐓘", "ⅷ", "Ⅷ", "\"", "'", "*", "AND", "NOT", "NEAR",
    "a\0b", "%", "_", "word_", "-word", "17", "017", "ｗｏｒｄ", "x\u{301}", "\u{301}",
  ]
  private static let gaps = [" ", " ", "\n", ", ", "-", "", "\0", "\u{a0}", "\u{3000}", "_", "'"]

  private static func text(_ random: inout SystemRandomNumberGenerator) -> String {
    (0..<Int.random(in: 0..<9, using: &random)).map { _ in pieces.randomElement()! + gaps.randomElement()! }.joined()
  }

  @Test(arguments: searching, [false, true])
  func everyWayFindsTheSame(_ configuration: Configuration, isIndexed: Bool) throws {
    let (backend, options) = try configuration.resolved()
    let type = try #require(backend as? any TextSearching.Type)
    guard type.indexesWords(options) || !isIndexed else { return }
    var random = SystemRandomNumberGenerator()
    try Subject.with(configuration) { subject in
      for collection in subject.collections.indices.map({ CollectionID($0) }) {
        var store = try subject.open()
        let before = (0..<40 as Range<Int64>).map { Tricky.record($0 - 5, Self.text(&random)) }
        try store.commit(before.map { .put($0, in: collection) })
        if isIndexed { try Capability.textSearching(of: store).value.indexWords(in: collection) }
        // The index follows puts that replace records, deletions, also of absent records, and failed transactions.
        for _ in 0..<30 {
          let key = Int64.random(in: -5..<50)
          try store.commit(
            Bool.random()
              ? [.put(Tricky.record(key, Self.text(&random)), in: collection)] : [.delete(key, in: collection)])
        }
        _ = try Capability.bulk(of: store).value.deleteRecords(.name("word "), in: collection)
        #expect(throws: (any Error).self) {
          try Capability.transactional(of: store).value.transaction { transaction in
            try transaction.put(Tricky.record(3, "word undone"), in: collection)
            throw StoreError.failed("undone")
          }
        }
        let long = String(repeating: "very long ", count: 4_000) + "end"
        try store.commit([.put(Tricky.record(60, long), in: collection)])
        for pass in 0..<2 {
          let searching = Capability.textSearching(of: store).value
          let all = try store.records(.all, in: collection)
          for word in Self.pieces + ["end", "long", "long very", "", "absent", "very\0"] {
            let word = TextWord(word)
            let expected = all.filter { $0.withView { word.isIn($0.name) } }
            let found = try searching.records(holding: word, in: collection)
            #expect(found.map(\.id) == expected.map(\.id), "'\(word.text)', pass \(pass)")
            #expect(zip(found, expected).allSatisfy { $0.isIdentical(to: $1) })
          }
          // Another instance must detect the index itself.
          try store.close()
          store = try subject.open()
        }
        if isIndexed { try Capability.textSearching(of: store).value.indexWords(in: collection) }
        try store.close()
      }
    }
  }

  @Test func whoHasNoIndexSaysSo() throws {
    _ = try Subject.withStore(Configuration("object-graph")) { store in
      #expect(throws: StoreError.self) { try Capability.textSearching(of: store).value.indexWords(in: .records) }
    }
  }
}
