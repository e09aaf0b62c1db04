import StorageContract

/// The sections of a list with their numbers of rows.
public struct Sections: Workload {
  public static let description = WorkloadDescription(
    id: "sections", question: "What does a list with sections cost before its first row is shown?",
    operation: "count the records of every group, groups in order", access: .reads, capability: .querying)

  public init(options: Options) {}

  public func countedOperations(records: Int, kind: EngineKind) -> Int { countedQueries(records: records) }

  public func session(_ context: SessionContext) -> any WorkloadSession {
    AskingSession(context, SectionSubject(OrderedRecords(context.records)))
  }
}

private final class SectionSubject: QuerySubject {
  let indexed: RecordField? = nil
  let answerSize = 1
  private let model: OrderedRecords

  init(_ model: OrderedRecords) { self.model = model }

  func question(_ operation: Int) -> RecordPredicate { .everything }

  func ask(
    _ question: RecordPredicate, _ querying: any Querying, _ store: any StorageBackend
  ) throws -> [Grouped<Int>] {
    try querying.countByGroup(question, in: .records)
  }

  func check(_ answer: [Grouped<Int>], to question: RecordPredicate) throws {
    try GroupCheck.check(answer, against: model.sections) { found, expected in
      found == expected ? nil : "counts \(found) records instead of \(expected)"
    }
  }

  /// Every operation asks the same.
  func hash(_ question: RecordPredicate, into hash: inout StableHash) { hash.add("sections") }
}

/// Compares figures of groups.
enum GroupCheck {
  /// Compares groups, their order, and their values.
  ///
  /// - Parameter complaint: What is wrong with a value, or nil.
  /// - Throws: ``VerificationError`` naming the first group that is wrong.
  static func check<Value>(
    _ found: [Grouped<Value>], against expected: [Grouped<Value>], complaint: (Value, Value) -> String?
  ) throws {
    for (index, group) in expected.enumerated() {
      guard index < found.count, found[index].group.hasSameBytes(as: group.group) else {
        let isThere = found.contains { $0.group.hasSameBytes(as: group.group) }
        throw VerificationError(
          key: nil, "group '\(group.group)' is \(isThere ? "in the wrong place" : "missing")")
      }
      if let complaint = complaint(found[index].value, group.value) {
        throw VerificationError(key: nil, "group '\(group.group)' \(complaint)")
      }
    }
    if found.count > expected.count {
      throw VerificationError(
        key: nil, "group '\(found[expected.count].group)' is there but should not be")
    }
  }
}
