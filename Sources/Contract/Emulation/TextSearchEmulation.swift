/// Word search for an engine without an index of words: every record is scanned.
struct TextSearchEmulation: TextSearching {
  static func indexesWords(_ options: Options) -> Bool { false }

  let store: any StorageBackend

  func indexWords(in collection: CollectionID) throws {
    throw StoreError.failed(
      "this store cannot index words; search without an index, or use a backend whose indexesWords is true")
  }

  func records(holding word: TextWord, in collection: CollectionID) throws -> [Record] {
    try collect { body in
      try store.scan(.all, in: collection) { try word.isIn($0.name) ? body($0) : true }
    }
  }
}
