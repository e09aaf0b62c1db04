import ObjectGraph
import StorageContract

extension ObjectGraphBackend: Querying {
  func index(_ field: RecordField, in collection: CollectionID) throws -> Bool {
    // The key's unique constraint has an index already.
    if field == .key { return true }
    try StoreError.translating {
      guard try !graph.entity(collection).hasIndex(field) else { return }
      try graph.migrate(collection) { $0.indexes.append([field.rawValue]) }
    }
    return true
  }

  func find(_ query: RecordQuery, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {
    guard query.limit != 0 else { return }
    let (entity, objects) = try graph.fetch(collection) { $0.request(query) }
    try entity.pass(objects, to: body)
  }

  func records(_ query: RecordQuery, in collection: CollectionID) throws -> [Record] {
    guard query.limit != 0 else { return [] }
    let (entity, objects) = try graph.fetch(collection) { $0.request(query) }
    return try StoreError.translating { try objects.map(entity.record) }
  }

  func count(_ predicate: RecordPredicate, in collection: CollectionID) throws -> Int {
    try StoreError.translating { try graph.context.count(for: graph.entity(collection).request(predicate)) }
  }

  func countByGroup(_ predicate: RecordPredicate, in collection: CollectionID) throws -> [Grouped<Int>] {
    try figures([Aggregate(.count, of: "id")], predicate, in: collection, isGrouped: true).map {
      Grouped(group: $0[0].text, value: Int($0[1].whole))
    }
  }

  func summary(_ predicate: RecordPredicate, in collection: CollectionID) throws -> ScoreSummary {
    try figures(Self.scores, predicate, in: collection).first.map { ScoreSummary($0[...]) } ?? ScoreSummary()
  }

  func summaryByGroup(_ predicate: RecordPredicate, in collection: CollectionID) throws -> [Grouped<ScoreSummary>] {
    try figures(Self.scores, predicate, in: collection, isGrouped: true).map {
      Grouped(group: $0[0].text, value: ScoreSummary($0.dropFirst()))
    }
  }

  private static let scores = [
    Aggregate(.count, of: "score"), Aggregate(.sum, of: "score"), Aggregate(.minimum, of: "score"),
    Aggregate(.maximum, of: "score"),
  ]

  private func figures(
    _ aggregates: [Aggregate], _ predicate: RecordPredicate, in collection: CollectionID, isGrouped: Bool = false
  ) throws -> [[Value]] {
    try StoreError.translating {
      try graph.context.aggregate(
        graph.entity(collection).request(predicate), aggregates, groupedBy: isGrouped ? "group" : nil)
    }
  }
}

extension ScoreSummary {
  fileprivate init(_ figures: ArraySlice<Value>) {
    let figures = Array(figures)
    self.init(
      count: Int(figures[0].whole), sum: figures[1].fraction ?? 0, minimum: figures[2].fraction,
      maximum: figures[3].fraction)
  }
}

/// Word search by a CONTAINS predicate, which reads every text. Neither this backend nor Core Data has an index of
/// words.
extension ObjectGraphBackend: TextSearching {
  static func indexesWords(_ options: Options) -> Bool { false }

  func indexWords(in collection: CollectionID) throws {
    throw StoreError.failed("an object graph has no full-text index; search without one")
  }

  func records(holding word: TextWord, in collection: CollectionID) throws -> [Record] {
    guard !word.text.isEmpty else { return [] }
    let (entity, objects) = try graph.fetch(collection) {
      FetchRequest($0.entity.name, where: Property("name").contains(word.text), sortedBy: [SortKey("id")])
    }
    return try StoreError.translating { try objects.map(entity.record) }.filter { $0.withView { word.isIn($0.name) } }
  }
}
