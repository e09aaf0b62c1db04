import StorageContract

// Backends with their own query engines, which give wrong results.

final class HidesHalf: Wrapper, Querying {
  override class var words: (String, String) { ("hides-half", "finds no record whose score is above the median") }
  private var right: any Querying { Capability.querying(of: inner).value }

  private func seen(_ predicate: RecordPredicate, _ collection: CollectionID) throws -> RecordPredicate {
    let scores = try inner.records(.all, in: collection).map(\.score).sorted()
    guard let last = scores.last else { return predicate }
    return .and([predicate, .not(.score(scores[scores.count / 2]...last))])
  }

  func index(_ field: RecordField, in collection: CollectionID) throws -> Bool { true }

  func find(_ query: RecordQuery, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {
    var query = query
    query.predicate = try seen(query.predicate, collection)
    try right.find(query, in: collection, body)
  }

  func count(_ predicate: RecordPredicate, in collection: CollectionID) throws -> Int {
    try right.count(seen(predicate, collection), in: collection)
  }

  func countByGroup(_ predicate: RecordPredicate, in collection: CollectionID) throws -> [Grouped<Int>] {
    try right.countByGroup(seen(predicate, collection), in: collection)
  }

  func summary(_ predicate: RecordPredicate, in collection: CollectionID) throws -> ScoreSummary {
    try right.summary(seen(predicate, collection), in: collection)
  }

  func summaryByGroup(_ predicate: RecordPredicate, in collection: CollectionID) throws -> [Grouped<ScoreSummary>] {
    try right.summaryByGroup(seen(predicate, collection), in: collection)
  }
}

final class WrongOrder: Wrapper, Querying {
  override class var words: (String, String) { ("wrong-order", "gives answers last to first") }
  private var right: any Querying { Capability.querying(of: inner).value }

  func index(_ field: RecordField, in collection: CollectionID) throws -> Bool { true }

  func find(_ query: RecordQuery, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {
    for record in try right.records(query, in: collection).reversed() {
      guard try record.withView(body) else { return }
    }
  }

  func count(_ predicate: RecordPredicate, in collection: CollectionID) throws -> Int {
    try right.count(predicate, in: collection)
  }

  func countByGroup(_ predicate: RecordPredicate, in collection: CollectionID) throws -> [Grouped<Int>] {
    try right.countByGroup(predicate, in: collection).reversed()
  }

  func summary(_ predicate: RecordPredicate, in collection: CollectionID) throws -> ScoreSummary {
    try right.summary(predicate, in: collection)
  }

  func summaryByGroup(_ predicate: RecordPredicate, in collection: CollectionID) throws -> [Grouped<ScoreSummary>] {
    try right.summaryByGroup(predicate, in: collection).reversed()
  }
}
