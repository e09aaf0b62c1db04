import StorageContract

/// A query that computes a value for each group of records, such as the sum of scores.
final class GroupStream<Value>: QueryStream {
  let indexed: RecordField? = nil
  let answerSize = 1
  private let name: String
  private let expected: () -> [Grouped<Value>]
  private let compute: (any Querying, any StorageBackend) throws -> [Grouped<Value>]
  private let complaint: (Value, Value) -> String?

  /// Creates a query that computes a value for each group. The function `complaint` returns a text about a wrong value,
  /// or nil if the value is right.
  init(
    _ name: String, expected: @autoclosure @escaping () -> [Grouped<Value>],
    _ compute: @escaping (any Querying, any StorageBackend) throws -> [Grouped<Value>],
    complaint: @escaping (_ found: Value, _ expected: Value) -> String?
  ) {
    (self.name, self.expected, self.compute, self.complaint) = (name, expected, compute, complaint)
  }

  func query(_ operation: Int) {}

  func ask(_ query: Void, _ querying: any Querying, _ store: any StorageBackend) throws -> [Grouped<Value>] {
    try compute(querying, store)
  }

  /// Checks the order and the values of the groups that the query found. An error names the first wrong group.
  func check(_ found: [Grouped<Value>], to query: Void) throws {
    let expected = expected()
    for (index, group) in expected.enumerated() {
      guard index < found.count, found[index].group.hasSameBytes(as: group.group) else {
        let isThere = found.contains { $0.group.hasSameBytes(as: group.group) }
        throw VerificationError(
          key: nil, "group '\(group.group.visible)' is \(isThere ? "in the wrong position" : "missing")")
      }
      if let complaint = complaint(found[index].value, group.value) {
        throw VerificationError(key: nil, "group '\(group.group.visible)' \(complaint)")
      }
    }
    if found.count > expected.count {
      throw VerificationError(key: nil, "group '\(found[expected.count].group.visible)' is there but should not be")
    }
  }

  func hash(_ query: Void, into hash: inout StableHash) { hash.add(name) }
}
