import StorageContract

extension QuerySession {
  /// Creates a session whose query computes a value for each group of records, such as the sum of scores.
  ///
  /// - Parameters:
  ///   - expected: The groups and values that the query should return.
  ///   - engine: Converts the open store to the interface that `compute` calls.
  ///   - compute: Runs the query. Only this call is timed.
  ///   - complaint: Returns an error text about a wrong value, or nil if the value is right.
  convenience init<Value>(
    _ context: SessionContext, grouping name: String, expected: @autoclosure @escaping () -> [Grouped<Value>],
    by engine: @escaping (any StorageBackend) -> Engine, _ compute: @escaping (Engine) throws -> Answer,
    complaint: @escaping (_ found: Value, _ expected: Value) -> String?
  ) where Answer == [Grouped<Value>] {
    let query = CheckedQuery<Engine, Answer>(
      ask: compute, check: { try Self.check($0, expected(), complaint) }, hash: { $0.add(name) })
    self.init(
      context,
      open: {
        let store = try context.open()
        return (store, engine(store), [])
      }, query: { _ in query })
  }

  /// Checks the order and the values of the groups that the query found. An error names the first wrong group.
  private static func check<Value>(
    _ found: [Grouped<Value>], _ expected: [Grouped<Value>], _ complaint: (Value, Value) -> String?
  ) throws {
    for (index, group) in expected.enumerated() {
      guard index < found.count, found[index].group.hasSameBytes(as: group.group) else {
        let isThere = found.contains { $0.group.hasSameBytes(as: group.group) }
        throw VerificationError("group '\(group.group.visible)' is \(isThere ? "in the wrong position" : "missing")")
      }
      if let complaint = complaint(found[index].value, group.value) {
        throw VerificationError("group '\(group.group.visible)' \(complaint)")
      }
    }
    if found.count > expected.count {
      throw VerificationError("group '\(found[expected.count].group.visible)' is there but should not be")
    }
  }
}
