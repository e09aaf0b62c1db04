import StorageContract

/// A workload that reads the sections of a list: their names, and the number of rows in each.
struct Sections: Workload {
  static let description = WorkloadDescription(
    id: "sections", question: "What does a list with sections cost before its first row is shown?",
    operation: "count the records of every group, groups in order", access: .reads, counted: .queries,
    capability: { _ in .querying })

  init(options: Options) {}

  func session(_ context: SessionContext) -> any WorkloadSession {
    let model = OrderedRecords(context.records)
    return QuerySession(
      context, grouping: "sections", expected: model.sections, by: { Capability.querying(of: $0).value },
      { try $0.countByGroup(.everything, in: .records) },
      complaint: { found, expected in
        found == expected ? nil : "counts \(found) records instead of \(expected)"
      })
  }
}
