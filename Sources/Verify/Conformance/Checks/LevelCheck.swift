import CStorageInstrument
import StorageContract

/// A check that a backend makes the writes and syncs that its safety level requires. ``CrashTest`` checks their order.
struct LevelCheck: ConformanceCheck {
  static let id = "level"
  static let promise = "writes and syncs are those that the promised level needs"
  static let steps: Steps = [check]
  static let dependsOnDurability = true

  static func exemption(_ subject: CheckedBackend) -> String? { nil }

  private static let saves = 20

  @Sendable private static func check(_ subject: CheckSubject) throws {
    let store = try subject.open()
    try store.commit([.put(SampleRecords.record(1, "first"))])
    ci_begin(subject.directories.store)
    var before = ci_counts()
    var (writes, syncs) = (0, 0)
    for number in 0..<saves {
      try store.commit([.put(SampleRecords.record(1, "save \(number)"))])
      ci_acknowledge(1)
      var after = ci_counts()
      ci_read(&after)
      if after.write_calls > before.write_calls { writes += 1 }
      if after.syncs > before.syncs { syncs += 1 }
      before = after
    }
    try store.settle()
    try store.close()
    var end = ci_counts()
    ci_read(&end)
    let observed = ci_saves.counted
    ci_end()
    let level = subject.backend.level
    if level == .volatile, subject.backend.leavesNothing == nil {
      return subject.expect(end.write_calls > 0, "it never writes its files, not even when it is closed")
    }
    if level == .volatile {
      return subject.expect(end.write_calls == 0 && end.syncs == 0, "it is volatile and writes files")
    }
    let witness = subject.backend.type.description.witness(subject.backend.options)
    // If a daemon writes for the backend, its calls cannot be observed, so the backend is trusted.
    if witness == .daemon { return }
    guard witness == .calls else {
      return subject.expect(
        level < .durable || syncs == saves,
        "it promises durable and acknowledges \(saves - syncs) of \(saves) saves without a sync")
    }
    if let refutation = observed.refutation(of: level) { return subject.violate(refutation) }
    subject.expect(
      level < .intact || end.syncs > 0,
      "it promises \(level.rawValue) and never syncs, not even when it is settled and closed")
    subject.expect(
      writes == saves,
      "it promises \(level.rawValue) and acknowledges \(saves - writes) of \(saves) saves without writing anything")
  }
}
