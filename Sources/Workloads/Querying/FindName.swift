import StorageContract

/// A workload that finds the records with a given name, without knowing their keys.
struct FindName: Workload {
  static let description = WorkloadDescription(
    id: "find-name", question: "What does finding a record by another field than the key cost?",
    operation: "find the records of one name as Swift values, by key; names uniform", options: [FindOptions.index],
    access: .reads, capability: { _ in .querying }, obstacle: FindOptions.obstacle,
    words: { _ in WorkloadWords("a search by name", .read, limit: .frame) })

  let options: Options

  func countedOperations(records: Int, kind: EngineKind) -> Int {
    options[FindOptions.index] == "yes" ? 200 : CountedOperations.queries.number(records: records, kind: kind)
  }

  func session(_ context: SessionContext) -> any WorkloadSession {
    QuerySession(context, options, field: .name, answerSize: 1) { operation, model in
      let name = context.source.count == 0 ? "" : context.drawnRecord(operation).name
      return CheckedQuery(
        RecordQuery(.name(name)), phrase: "of the name '\(name.visible)'", in: model,
        expected: { model.indices(named: name) }, hash: { $0.add(name) })
    }
  }
}
