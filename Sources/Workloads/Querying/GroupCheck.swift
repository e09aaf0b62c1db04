import StorageContract

/// A comparison of values by group.
enum GroupCheck {
  /// Compares groups, their order and their values.
  ///
  /// - Parameter complaint: Returns the error in a value, or nil.
  /// - Throws: ``VerificationError`` that names the first wrong group.
  static func check<Value>(
    _ found: [Grouped<Value>], against expected: [Grouped<Value>], complaint: (Value, Value) -> String?
  ) throws {
    for (index, group) in expected.enumerated() {
      guard index < found.count, found[index].group.hasSameBytes(as: group.group) else {
        let isThere = found.contains { $0.group.hasSameBytes(as: group.group) }
        throw VerificationError(
          key: nil, "group '\(group.group.visible)' is \(isThere ? "in the wrong place" : "missing")")
      }
      if let complaint = complaint(found[index].value, group.value) {
        throw VerificationError(key: nil, "group '\(group.group.visible)' \(complaint)")
      }
    }
    if found.count > expected.count {
      throw VerificationError(
        key: nil, "group '\(found[expected.count].group.visible)' is there but should not be")
    }
  }
}
