import CStorageInstrument
import StorageContract

/// What is promised needs calls to the kernel, which are counted.
///
/// Syncs are necessary and not sufficient: whether they come in the right order is for a power cut to show.
struct LevelCheck: ConformanceCheck {
  static let id = "level"
  static let promise = "writes and syncs are those that the promised level needs"
  static let steps: [@Sendable (CheckSubject) throws -> Void] = [check]
  static let dependsOnOptions = true
  static let dependsOnDurability = true

  static func exemption(_ subject: CheckedBackend) -> String? { nil }

  @Sendable private static func check(_ subject: CheckSubject) throws {
    let level = subject.backend.level
    let store = try subject.open()
    try store.commit([.put(Samples.record(1, "first"))])
    ci_begin(subject.places.store)
    var before = ci_counts()
    var (writes, syncs) = (0, 0)
    for number in 0..<20 {
      try store.commit([.put(Samples.record(1, "save \(number)"))])
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
    ci_end()
    let isMapped = subject.backend.type.description.mapped(subject.backend.options) == .readsAndWrites
    switch level {
    case .volatile:
      subject.expect(end.write_calls == 0 && end.syncs == 0, "it is volatile and writes files")
      return
    case .fragile, .crash: break
    case .intact:
      subject.expect(end.syncs > 0, "it promises intact and never syncs, not even when it is settled and closed")
    case .durable:
      subject.expect(syncs == 20, "it promises durable and acknowledges \(20 - syncs) of 20 saves without a sync")
    }
    if !isMapped {
      subject.expect(
        writes == 20,
        "it promises \(level.rawValue) and acknowledges \(20 - writes) of 20 saves without writing anything")
    }
  }
}
