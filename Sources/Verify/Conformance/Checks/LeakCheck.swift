import CStorageInstrument
import Foundation
import StorageContract

/// What is taken for a commit, or for an open store, is given back.
struct LeakCheck: ConformanceCheck {
  static let id = "leaks"
  static let promise = "10,000 commits leak no descriptor and no memory"
  static let steps: [@Sendable (CheckSubject) throws -> Void] = [check]
  static let disk = ChildDisk.inMemoryIfPossible(128 << 20)

  static func exemption(_ subject: CheckedBackend) -> String? { nil }

  private static let commits = 10_000
  private static let openings = 100
  /// Caches fill and tables grow; a leak of a few bytes in each commit exceeds this.
  private static let slack = 100_000

  @Sendable private static func check(_ subject: CheckSubject) throws {
    let store = try subject.open()
    // Caches fill first.
    try commit(0..<1_000, store)
    try expectNothingLeft(subject, "\(commits) commits") { try commit(1_000..<1_000 + commits, store) }
    try store.close()
    guard subject.backend.level > .volatile else { return }

    try reopen(subject, 20)
    try expectNothingLeft(subject, "\(openings) openings") { try reopen(subject, openings) }
  }

  /// What is taken once, by a thread that has just been started, is not a leak: that is taken each time.
  private static func expectNothingLeft(_ subject: CheckSubject, _ what: String, _ body: () throws -> Void) throws {
    var usage = Usage()
    for tries in 1...3 {
      let before = usage
      try body()
      usage = .settled(before)
      let more = usage.descriptors - before.descriptors
      let growth = Int(usage.heap) - Int(before.heap)
      if more <= 0, growth < slack { return }
      guard tries == 3 else { continue }
      subject.expect(more <= 0, "\(what) leave \(more) more descriptors open")
      subject.expect(growth < slack, "\(what) leave \(growth) more bytes of memory taken")
    }
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

  /// What the process has taken.
  private struct Usage {
    let descriptors = ci_open_files()
    let heap = ci_heap_in_use()

    /// What it has taken when other threads have had a second to end what they were asked to end.
    static func settled(_ before: Usage) -> Usage {
      for _ in 0..<50 where Usage().descriptors > before.descriptors { usleep(20_000) }
      return Usage()
    }
  }
}
