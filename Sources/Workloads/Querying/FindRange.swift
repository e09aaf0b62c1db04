import StorageContract

/// A workload that finds records whose scores lie in a range.
struct FindRange: Workload {
  static let description = WorkloadDescription(
    id: "find-range", question: "What does a range of values cost, and from which share on does an index not help?",
    operation: "find the records whose scores lie in a range as Swift values, by score; ranges uniform",
    options: [FindOptions.select, FindOptions.index], access: .reads, counted: .queries, capability: { _ in .querying },
    obstacle: FindOptions.obstacle)

  let options: Options

  func session(_ context: SessionContext) -> any WorkloadSession {
    let target = FindOptions.target(options, of: context.source.count)
    return QuerySession(context, options, field: .score, answerSize: target) { operation, model in
      let scores = model.scores
      // The range covers `count` consecutive scores, and more only if scores are equal.
      let count = min(target, scores.count)
      let first = context.drawn(operation, below: scores.count - count + 1)
      let range = count == 0 ? 0...0 : scores[first].score...scores[first + count - 1].score
      return CheckedQuery(
        RecordQuery(.score(range), sortedBy: [.ascending(.score)]),
        phrase: "with scores from \(range.lowerBound) to \(range.upperBound)", in: model,
        expected: { model.indices(scored: range) },
        hash: {
          $0.add(range.lowerBound.bitPattern)
          $0.add(range.upperBound.bitPattern)
        })
    }
  }
}
