import StorageContract

/// The records of a store by key, one dictionary for each collection.
struct StoreContent {
  private(set) var collections: [[Int64: Record]]

  init(after batches: [[Change]] = [], collections: Int = 2) {
    self.collections = Array(repeating: [:], count: collections)
    for batch in batches { apply(batch) }
  }

  init(reading store: any StorageBackend, collections: Int) throws {
    self.collections = try (0..<collections).map { index in
      let records = try store.records(.all, in: CollectionID(index))
      return Dictionary(records.map { ($0.id, $0) }) { first, _ in first }
    }
  }

  mutating func apply(_ changes: [Change]) {
    for change in changes {
      collections[change.collection.index][change.record.id] = change.isDelete ? nil : change.record
    }
  }

  mutating func commit(_ changes: [Change], to store: any StorageBackend) throws {
    try store.commit(changes)
    apply(changes)
  }

  func records(_ keys: ClosedRange<Int64> = .all, in collection: CollectionID = .records) -> [Record] {
    collections[collection.index].values.filter { keys.contains($0.id) }.sorted { $0.id < $1.id }
  }

  /// Returns whether two stores have the same content. 0 and -0 count as equal.
  func isSame(as other: StoreContent) -> Bool {
    zip(collections, other.collections).allSatisfy { left, right in
      left.count == right.count
        && left.allSatisfy { key, record in right[key].map { Self.areSame($0, record) } ?? false }
    }
  }

  /// Returns a description of the first differences, such as `record 3 of records is missing`; nil if there is none.
  func difference(from expected: StoreContent, _ names: [String]) -> String? {
    var words: [String] = []
    for (index, pair) in zip(collections, expected.collections).enumerated() {
      for key in Set(pair.0.keys).union(pair.1.keys).sorted() {
        var what: String { "record \(key) of \(names[index])" }
        switch (pair.0[key], pair.1[key]) {
        case (let found?, let wanted?):
          if Self.areSame(found, wanted) { continue }
          words.append(
            found.name == wanted.name
              ? "\(what) has other fields" : "\(what) is '\(found.name)' and not '\(wanted.name)'")
        case (nil, _): words.append("\(what) is missing")
        case (let found?, nil): words.append("\(what) is there, '\(found.name)'")
        }
      }
    }
    let more = words.count - 3
    return words.isEmpty ? nil : words.prefix(3).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
  }

  private static func areSame(_ left: Record, _ right: Record) -> Bool { left.isIdentical(to: right) || left == right }
}
