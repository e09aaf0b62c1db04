import CInstrument
import Contract
import Foundation

/// What is taken for a commit, or for an open store, is given back.
struct LeakCheck: ConformanceCheck {
  static let id = "leaks"
  static let promise = "10,000 commits leak no descriptor and no memory"
  static let steps: [@Sendable (CheckSubject) throws -> Void] = [check]
  static let disk = CheckDisk.inMemoryIfPossible(128 << 20)

  static func exemption(_ subject: CheckedBackend) -> String? { nil }

  private static let commits = 10_000
  private static let openings = 100
  /// Caches fill and tables grow; a leak of a few bytes in each commit exceeds this.
  private static let slack = 100_000

  @Sendable private static func check(_ subject: CheckSubject) throws {
    let store = try subject.open()
    // Caches fill first.
    try commit(0..<1_000, store)
    let before = Usage()
    try commit(1_000..<1_000 + commits, store)
    report(subject, .settled(before), before, "\(commits) commits")
    try store.close()
    guard subject.backend.level > .volatile else { return }

    try reopen(subject, 20)
    let closed = Usage()
    try reopen(subject, openings)
    report(subject, .settled(closed), closed, "\(openings) openings")
  }

  private static func commit(_ numbers: Range<Int>, _ store: any StorageBackend) throws {
    for number in numbers {
      // One record that stays, and one that comes and goes.
      let key: Int64 = number % 10 == 8 ? 2 : 1
      try store.commit([number % 10 == 9 ? .delete(2) : .put(Samples.record(key, "save \(number)"))])
    }
  }

  private static func reopen(_ subject: CheckSubject, _ times: Int) throws {
    for _ in 0..<times {
      try subject.withStore { store in
        try store.commit([.put(Samples.record(1))])
        _ = try store.record(1, in: .records)
      }
    }
  }

  private static func report(_ subject: CheckSubject, _ after: Usage, _ before: Usage, _ what: String) {
    let more = after.descriptors - before.descriptors
    subject.expect(more <= 0, "\(what) leave \(more) more descriptors open")
    let growth = Int(after.heap) - Int(before.heap)
    subject.expect(growth < slack, "\(what) leave \(growth) more bytes of memory taken")
  }

  /// What the process has taken.
  private struct Usage {
    let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    let heap = ci_heap_in_use()

    /// What it has taken when other threads have had a second to end what they were asked to end.
    static func settled(_ before: Usage) -> Usage {
      for _ in 0..<50 where Usage().descriptors > before.descriptors { usleep(20_000) }
      return Usage()
    }
  }
}
