import StorageContract

/// A workload that sums the scores of each group of records, in the store or in the app.
struct AggregateScores: Workload {
  static let side = OptionSpec(
    "where", ["store", "app"], help: "compute in the store, or load every record and compute in the app")

  static let description = WorkloadDescription(
    id: "aggregate", question: "Are sums quicker in the store or in the app?",
    operation: "number, sum, least and greatest score of every group, groups in order", options: [side],
    access: .reads, counted: .queries, capability: { $0[side] == "store" ? .querying : nil })

  let options: Options

  func session(_ context: SessionContext) -> any WorkloadSession {
    let model = OrderedRecords(context.records)
    if options[Self.side] == "store" {
      return QuerySession(
        context, grouping: "aggregate", expected: model.groups, by: { Capability.querying(of: $0).value },
        { try $0.summaryByGroup(.everything, in: .records) }, complaint: Self.complaint)
    }
    return QuerySession(
      context, grouping: "aggregate", expected: model.groups, by: { $0 },
      { store in
        // An app without queries computes sums like this.
        var groups: [ExactText: ScoreSummary] = [:]
        for record in try store.records(.all, in: .records) {
          groups[ExactText(record.group), default: ScoreSummary()].add(record.score)
        }
        return groups.sorted { $0.key < $1.key }.map { Grouped(group: $0.key.text, value: $0.value) }
      }, complaint: Self.complaint)
  }

  private static func complaint(_ found: ScoreSummary, _ expected: ScoreSummary) -> String? {
    if found.count != expected.count { return "has \(found.count) scores instead of \(expected.count)" }
    if found.minimum != expected.minimum || found.maximum != expected.maximum {
      return "has the wrong least or greatest score"
    }
    // Engines add in different orders. The tolerance is relative to the largest absolute value, as a sum may be near 0.
    let scale = max(abs(expected.minimum ?? 0), abs(expected.maximum ?? 0)) * Double(expected.count)
    // The order of the additions decides whether the sum overflows.
    guard scale.isFinite else { return nil }
    return abs(found.sum - expected.sum) <= 1e-9 * scale || found.sum == expected.sum
      ? nil : "has the sum \(found.sum) instead of \(expected.sum)"
  }
}
