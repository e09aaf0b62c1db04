import TestSupport
import Testing

@testable import StorageContract

@Suite struct QueryEmulationTests {
  /// A predicate and the same condition in Swift.
  private struct Pair {
    let predicate: RecordPredicate
    let holds: (Record) -> Bool

    static func random(depth: Int, using random: inout SplitMix64) -> Pair {
      let text = Record.random(1, using: &random).name
      switch Int.random(in: 0...(depth > 0 ? 7 : 4), using: &random) {
      case 0: return Pair(predicate: .everything) { _ in true }
      case 1: return Pair(predicate: .name(text)) { Array($0.name.utf8) == Array(text.utf8) }
      case 2: return Pair(predicate: .namePrefix(text)) { Array($0.name.utf8).starts(with: Array(text.utf8)) }
      case 3: return Pair(predicate: .group(text)) { Array($0.group.utf8) == Array(text.utf8) }
      case 4: return Pair(predicate: .score(0...2)) { $0.score >= 0 && $0.score <= 2 }
      case 5:
        let part = Pair.random(depth: depth - 1, using: &random)
        return Pair(predicate: .not(part.predicate)) { !part.holds($0) }
      case let kind:
        let parts = (0..<Int.random(in: 0...3, using: &random)).map { _ in
          Pair.random(depth: depth - 1, using: &random)
        }
        if kind == 6 {
          return Pair(predicate: .and(parts.map(\.predicate))) { record in
            parts.allSatisfy { $0.holds(record) }
          }
        }
        return Pair(predicate: .or(parts.map(\.predicate))) { record in parts.contains { $0.holds(record) } }
      }
    }
  }

  /// Returns the order of a field as a list of numbers, which Swift compares by itself.
  private func rank(_ record: Record, _ field: RecordField) -> [Double] {
    switch field {
    case .key: [Double(record.id)]
    case .name: record.name.utf8.map { Double($0) }
    case .group: record.group.utf8.map { Double($0) }
    case .score: record.score.isNaN ? [] : [record.score]
    case .modified: [record.modified]
    }
  }

  @Test(arguments: 0..<300) func agreesWithPlainComputation(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let store = try DictionaryStore()
    let all = (1...Int64.random(in: 1...60, using: &random)).map { Record.random($0, using: &random) }
    try store.commit(all.map { .put($0) })
    let querying = Capability.querying(of: store)
    #expect(!querying.isNative)
    let pair = Pair.random(depth: 3, using: &random)
    let matches = all.filter(pair.holds)

    let order = (0..<Int.random(in: 0...3, using: &random)).map { _ in
      RecordOrder(field: RecordField.allCases.randomElement(using: &random)!, isDescending: .random(using: &random))
    }
    let sorted = matches.sorted { first, second in
      for step in order {
        let (left, right) = (rank(first, step.field), rank(second, step.field))
        if left != right { return left.lexicographicallyPrecedes(right) != step.isDescending }
      }
      return first.id < second.id
    }
    let offset = Int.random(in: 0...5, using: &random)
    let limit = Bool.random(using: &random) ? Int.random(in: 0...20, using: &random) : nil
    let page = try querying.value.records(RecordQuery(pair.predicate, sortedBy: order, limit: limit, offset: offset))
    #expect(page.map(\.id) == sorted.dropFirst(offset).prefix(limit ?? 1000).map(\.id))
    #expect(zip(page, sorted.dropFirst(offset)).allSatisfy { $0.isIdentical(to: $1) })

    #expect(try querying.value.count(pair.predicate, in: .records) == matches.count)
    let groups = Dictionary(grouping: matches) { Array($0.group.utf8) }
    let names = groups.keys.sorted { $0.lexicographicallyPrecedes($1) }
    let counts = try querying.value.countByGroup(pair.predicate, in: .records)
    #expect(counts.map { Array($0.group.utf8) } == names)
    #expect(counts.map(\.value) == names.map { groups[$0]?.count })

    let numbers = matches.map(\.score).filter { !$0.isNaN }
    let summary = try querying.value.summary(pair.predicate, in: .records)
    #expect(summary.count == numbers.count)
    #expect(summary.minimum == numbers.min() && summary.maximum == numbers.max())
    let sum = numbers.reduce(0, +)
    #expect(summary.sum == sum || summary.sum.isNaN && sum.isNaN)
    let byGroup = try querying.value.summaryByGroup(pair.predicate, in: .records)
    #expect(byGroup.map(\.value.count) == names.map { groups[$0]?.count { !$0.score.isNaN } })
  }

  @Test func stopsWhenTheBodySaysSo() throws {
    let store = try DictionaryStore()
    try store.commit((1...9).map { .put(.sample($0, score: -Double($0))) })
    let querying = Capability.querying(of: store).value
    for order in [[], [RecordOrder.ascending(.score)]] {
      var seen = 0
      try querying.find(RecordQuery(sortedBy: order), in: .records) { _ in
        seen += 1
        return seen < 3
      }
      #expect(seen == 3)
    }
    #expect(try querying.records(RecordQuery(sortedBy: [.ascending(.score)], limit: 2)).map(\.id) == [9, 8])
  }

  @Test func averageIsOfNumbersOnly() throws {
    let store = try DictionaryStore()
    let querying = Capability.querying(of: store).value
    let summary = try querying.summary(.everything, in: .records)
    #expect(summary == ScoreSummary() && summary.average == nil && summary.sum == 0)
    #expect(try querying.countByGroup(.everything, in: .records).isEmpty)
    #expect(try querying.index(.name, in: .records) == false)
    try store.commit([.put(.sample(1, score: 2)), .put(.sample(2, score: 4)), .put(.sample(3, score: .nan))])
    #expect(try querying.summary(.everything, in: .records).average == 3)
  }
}
