import StorageContract

/// A check that no acknowledged save is lost if the process is killed. A save is acknowledged once its commit has
/// returned.
struct AcknowledgedCheck: ConformanceCheck {
  static let id = "acknowledged"
  static let promise = "every acknowledged save survives the death of the process"
  static let steps: Steps = [
    write, { try $0.expectStored(StoreContent(after: history), "after the process was killed") },
  ]
  static let dependsOnDurability = true

  static func exemption(_ subject: CheckedBackend) -> String? { subject.writesLater }

  private static let history: [[Change]] = (0..<30).map { number in
    [.put(SampleRecords.record(number % 7, "save \(number)"))]
      + (number % 3 == 0
        ? [.delete((number + 3) % 7), .put(SampleRecords.record(number), in: CheckSubject.second)] : [])
  }

  @Sendable private static func write(_ subject: CheckSubject) throws {
    let store = try subject.open()
    for batch in history { try store.commit(batch) }
    // The process is killed while the store is open, without `settle()` or `close()`.
    withExtendedLifetime(store) { subject.kill() }
  }
}
