import StorageContract

/// A query for the sections of a list with their numbers of rows.
public struct Sections: Workload {
  public static let description = WorkloadDescription(
    id: "sections", question: "What does a list with sections cost before its first row is shown?",
    operation: "count the records of every group, groups in order", access: .reads, capability: .querying)

  public init(options: Options) {}

  public func countedOperations(records: Int, kind: EngineKind) -> Int { countedQueries(records: records) }

  public func session(_ context: SessionContext) -> any WorkloadSession {
    QuerySession(context, SectionCountStream(OrderedRecords(context.records)))
  }
}

private final class SectionCountStream: QueryStream {
  let indexed: RecordField? = nil
  let answerSize = 1
  private let model: OrderedRecords

  init(_ model: OrderedRecords) { self.model = model }

  func query(_ operation: Int) -> RecordPredicate { .everything }

  func ask(
    _ query: RecordPredicate, _ querying: any Querying, _ store: any StorageBackend
  ) throws -> [Grouped<Int>] {
    try querying.countByGroup(query, in: .records)
  }

  func check(_ answer: [Grouped<Int>], to query: RecordPredicate) throws {
    try GroupCheck.check(answer, against: model.sections) { found, expected in
      found == expected ? nil : "counts \(found) records instead of \(expected)"
    }
  }

  /// Adds a constant, since every operation runs the same query.
  func hash(_ query: RecordPredicate, into hash: inout StableHash) { hash.add("sections") }
}
