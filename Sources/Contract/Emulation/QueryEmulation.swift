/// Queries for an engine without them: all records are read, filtered and sorted in memory.
struct QueryEmulation: Querying {
  let store: any StorageBackend

  func index(_ field: RecordField, in collection: CollectionID) throws -> Bool {
    // Every store finds records by key, so only the key counts as indexed.
    field == .key
  }

  func find(_ query: RecordQuery, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {
    guard query.limit != 0 else { return }
    if query.order.isEmpty || query.order.first == .ascending(.key) {
      try stream(query, in: collection, body)
    } else {
      try sort(query, in: collection, body)
    }
  }

  private func stream(_ query: RecordQuery, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {
    // The number of the match, from 1 for the first one after the skipped matches.
    var number = -query.offset
    try store.scan(.all, in: collection) { view in
      guard query.predicate.matches(view) else { return true }
      number += 1
      guard number > 0 else { return true }
      guard try body(view) else { return false }
      return query.limit.map { number < $0 } ?? true
    }
  }

  private func sort(_ query: RecordQuery, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {
    var matches: [Record] = []
    if case .everything = query.predicate {
      // Stores that hold Swift values return them from this call without a copy.
      matches = try store.records(.all, in: collection)
    } else {
      try forEach(query.predicate, in: collection) { matches.append($0.record()) }
    }
    // Indices are sorted instead of records: moving a record moves three counted references.
    let positions = matches.indices.sorted { query.precedes(matches[$0], matches[$1]) }.dropFirst(query.offset)
    for position in positions.prefix(query.limit ?? positions.count) {
      guard try matches[position].withView(body) else { return }
    }
  }

  func count(_ predicate: RecordPredicate, in collection: CollectionID) throws -> Int {
    if case .everything = predicate { return try store.count(in: collection) }
    var count = 0
    try forEach(predicate, in: collection) { _ in count += 1 }
    return count
  }

  func countByGroup(_ predicate: RecordPredicate, in collection: CollectionID) throws -> [Grouped<Int>] {
    try byGroup(predicate, in: collection, from: 0) { count, _ in count += 1 }
  }

  func summary(_ predicate: RecordPredicate, in collection: CollectionID) throws -> ScoreSummary {
    var summary = ScoreSummary()
    try forEach(predicate, in: collection) { summary.add($0.score) }
    return summary
  }

  func summaryByGroup(_ predicate: RecordPredicate, in collection: CollectionID) throws -> [Grouped<ScoreSummary>] {
    try byGroup(predicate, in: collection, from: ScoreSummary()) { $0.add($1.score) }
  }

  private func forEach(_ predicate: RecordPredicate, in collection: CollectionID, _ body: (RecordView) -> Void) throws {
    try store.scan(.all, in: collection) { view in
      if predicate.matches(view) { body(view) }
      return true
    }
  }

  private func byGroup<Value>(
    _ predicate: RecordPredicate, in collection: CollectionID, from start: Value,
    _ add: (inout Value, RecordView) -> Void
  ) throws -> [Grouped<Value>] {
    var values: [ExactText: Value] = [:]
    try forEach(predicate, in: collection) { view in
      add(&values[ExactText(String(decoding: view.group, as: UTF8.self)), default: start], view)
    }
    return values.sorted { $0.key < $1.key }.map { Grouped(group: $0.key.text, value: $0.value) }
  }
}
