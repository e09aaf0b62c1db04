import CStorageInstrument
import Foundation
import StorageContract

/// What is taken for a commit, or for an open store, is given back, and none of many commits is dropped.
struct LeakCheck: ConformanceCheck {
  static let id = "leaks"
  static let promise = "10,000 commits leak no descriptor and no memory, and are all there, also after reopening"
  static let steps: [@Sendable (CheckSubject) throws -> Void] = [check]
  static let disk = ChildDisk.inMemoryIfPossible(128 << 20)

  static func exemption(_ subject: CheckedBackend) -> String? { subject.storesNothing }

  /// Fewer where a store is worth trying with few records only, since each of them takes long.
  private static func commits(_ subject: CheckSubject) -> Int { isSlow(subject) ? 200 : 10_000 }
  private static func openings(_ subject: CheckSubject) -> Int { isSlow(subject) ? 10 : 100 }
  private static func isSlow(_ subject: CheckSubject) -> Bool { subject.backend.type.description.mostRecords != nil }
  /// Caches fill and tables grow; a leak of a few bytes in each commit exceeds this.
  private static let slack = 100_000

  @Sendable private static func check(_ subject: CheckSubject) throws {
    let (commits, openings) = (commits(subject), openings(subject))
    var store = try subject.open()
    let saves = ManySaves(subject)
    // Caches fill first.
    var done = commits / 10
    try saves.commit(0..<done, to: store)
    // A thread of the engine's own empties tables in memory when it likes. What such an engine gives back is seen when the
    // store has been closed.
    func rest() throws {
      guard !subject.backend.type.description.isDeterministic, subject.backend.leavesNothing == nil else { return }
      try store.close()
      store = try subject.open()
    }
    try rest()
    try expectNothingLeft(subject, "\(commits) commits") {
      try saves.commit(done..<done + commits, to: store)
      done += commits
      try rest()
    }
    try subject.compare(store, saves.content, "after \(commits) commits")
    try store.close()
    guard subject.backend.level > .volatile else { return }
    try subject.withStore { try subject.compare($0, saves.content, "after \(commits) commits and reopening") }

    try reopen(subject, openings / 5)
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
      // What the description tells may depend on a library's version.
      if more <= 0, subject.backend.deviates(from: .memory) { return }
      guard tries == 3 else { continue }
      subject.expect(more <= 0, "\(what) leave \(more) more descriptors open")
      subject.expect(growth < slack, "\(what) leave \(growth) more bytes of memory taken")
    }
  }

  private static func reopen(_ subject: CheckSubject, _ times: Int) throws {
    for _ in 0..<times {
      try subject.withStore { store in
        try store.commit([.put(SampleRecords.record(1))])
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

/// Saves of which each leaves a trace: it looks for what the last one of its record has left, so that a save that was
/// acknowledged and dropped is noticed even if a later one covers it up.
private final class ManySaves {
  private let subject: CheckSubject
  /// As many records as the last 1,000 saves are about, so that each of these is seen after reopening. Where each save
  /// writes all of them, they are few.
  private let records: Int
  /// A record that comes and goes.
  private static let passing: Int64 = 0
  /// What the store must hold.
  private(set) var content = Content()

  init(_ subject: CheckSubject) {
    self.subject = subject
    records = subject.backend.type.description.kind(subject.backend.options) == .wholeFile ? 10 : 1_000
  }

  func commit(_ numbers: Range<Int>, to store: any StorageBackend) throws {
    for number in numbers {
      let change: Change =
        switch number % 10 {
        case 8: .put(SampleRecords.record(Self.passing, "save \(number)"))
        case 9: .delete(Self.passing)
        default: .put(SampleRecords.record(Int64(number % records) + 1, "save \(number)"))
        }
      try expectLast(change.record.id, before: number, in: store)
      try store.commit([change])
      content.apply([change])
    }
  }

  private func expectLast(_ key: Int64, before number: Int, in store: any StorageBackend) throws {
    let found = try store.record(key, in: .records)
    let expected = content.collections[0][key]
    let isSame = found.map { found in expected.map { found.isIdentical(to: $0) } ?? false } ?? (expected == nil)
    subject.expect(
      isSame,
      "commit \(number + 1) finds that the store does not hold what was committed before: record \(key) is "
        + (found.map { "of '\($0.name)'" } ?? "missing") + " where "
        + (expected.map { "'\($0.name)' was the last" } ?? "it was deleted"))
  }
}
