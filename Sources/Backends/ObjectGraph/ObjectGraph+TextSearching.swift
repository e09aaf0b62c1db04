import ObjectGraph
import StorageContract

/// Word search by a CONTAINS predicate, as in Core Data, whose stores do not index words either.
extension ObjectGraphBackend: TextSearching {
  static var indexesWords: Bool { false }

  func indexWords(in collection: CollectionID) throws {
    throw StoreError.failed("an object graph has no index of words")
  }

  func records(holding word: TextWord, in collection: CollectionID) throws -> [Record] {
    guard !word.text.isEmpty else { return [] }
    return try StoreError.translating {
      let entity = try graph.entity(collection)
      return try graph.context.fetch(entity.request(nameContaining: word.text)).map(entity.record).filter { record in
        record.withView { word.isIn($0.name) }
      }
    }
  }
}
