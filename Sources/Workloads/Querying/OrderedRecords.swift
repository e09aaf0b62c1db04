import StorageContract

/// The records of a source in several orders, such as by name, to check the results of queries.
final class OrderedRecords {
  private let source: CachedRecords

  init(_ source: CachedRecords) { self.source = source }

  /// All names, each with the index of its record. Names are sorted by text, equal names by key.
  private(set) lazy var names: [(text: ExactText, index: Int)] = (0..<source.count)
    .map { (text: ExactText(source.record(at: $0).name), index: $0) }
    // Keys ascend with the index.
    .sorted { $0.text == $1.text ? $0.index < $1.index : $0.text < $1.text }

  /// All scores except NaN, each with the index of its record. Scores are sorted by value, equal scores by key.
  private(set) lazy var scores: [(score: Double, index: Int)] = (0..<source.count)
    .map { (score: source.record(at: $0).score, index: $0) }
    .filter { !$0.score.isNaN }
    .sorted { ($0.score, $0.index) < ($1.score, $1.index) }

  /// The groups of the records, sorted by the UTF-8 bytes of their names, with a summary of each group's scores.
  private(set) lazy var groups = byGroup(from: ScoreSummary()) { $0.add($1.score) }

  /// The groups of the records, sorted by the UTF-8 bytes of their names, with the number of records in each group.
  private(set) lazy var sections = byGroup(from: 0) { count, _ in count += 1 }

  private func byGroup<Value>(from start: Value, _ add: (inout Value, Record) -> Void) -> [Grouped<Value>] {
    var groups: [ExactText: Value] = [:]
    for index in 0..<source.count {
      let record = source.record(at: index)
      add(&groups[ExactText(record.group), default: start], record)
    }
    return groups.sorted { $0.key < $1.key }.map { Grouped(group: $0.key.text, value: $0.value) }
  }

  func indices(named name: String) -> [Int] {
    let name = ExactText(name)
    let start = names.partitioningIndex { !($0.text < name) }
    return names[start...].prefix { $0.text == name }.map(\.index)
  }

  func range(ofPrefix prefix: String) -> Range<Int> {
    let wanted = ExactText(prefix)
    let start = names.partitioningIndex { !($0.text < wanted) }
    // Names with the prefix come first among the remaining ones.
    let length = names[start...].partitioningIndex { !$0.text.text.utf8.starts(with: prefix.utf8) } - start
    return start..<start + length
  }

  func indices(scored range: ClosedRange<Double>) -> [Int] {
    let start = scores.partitioningIndex { $0.score >= range.lowerBound }
    let end = scores.partitioningIndex { $0.score > range.upperBound }
    return scores[start..<end].map(\.index)
  }

  /// Compares the records that a query found with the expected records.
  ///
  /// - Parameters:
  ///   - indices: The indices of the expected records, in order.
  ///   - query: A phrase for error messages, such as "of the name 'Anna'".
  /// - Throws: ``VerificationError`` that names the first wrong key.
  func check(_ found: [Record], against indices: [Int], of query: String) throws {
    if found.count == indices.count, zip(found, indices).allSatisfy({ source.isRecord($0, at: $1) }) { return }
    let expected = indices.map { source.key(at: $0) }
    let different = zip(found, expected).prefix { $0.id == $1 }.count
    if different < expected.count, !found.contains(where: { $0.id == expected[different] }) {
      throw VerificationError(key: expected[different], "is missing from the records \(query)")
    }
    if different < found.count {
      let key = found[different].id
      let isExpected = expected.contains(key)
      throw VerificationError(
        key: key,
        isExpected
          ? "is in the wrong position among the records \(query)" : "is among the records \(query), but should not be")
    }
    try Expectation.compare(found, with: indices.map { source.record(at: $0) })
  }
}
