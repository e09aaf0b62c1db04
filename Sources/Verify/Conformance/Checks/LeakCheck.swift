import CStorageInstrument
import Foundation
import StorageContract

/// A check of long series of commits and openings, which must leak no file descriptor and no memory, and must lose no
/// commit.
struct LeakCheck: ConformanceCheck {
  static let id = "leaks"
  static let promise = "10,000 commits leak no descriptor and no memory, and are all there, also after reopening"
  static let steps: Steps = [check]
  static let dependsOnOptions = false
  static let disk = ChildDisk(bytes: 128 << 20, isNeeded: false)

  /// The growth in bytes that counts as a leak: 10 bytes in each of 10,000 commits. Caches may grow by less.
  private static let slack = 100_000

  @Sendable private static func check(_ subject: CheckSubject) throws {
    // A backend with slow commits makes fewer commits and openings.
    let isSlow = subject.backend.type.description.mostRecords != nil
    let (commits, openings) = isSlow ? (200, 10) : (10_000, 100)
    var store = try subject.open()
    var content = StoreContent()
    // The first commits fill the caches, so that growth after them is a leak.
    var done = commits / 10
    try commit(0..<done, to: store, &content, subject)
    // A background thread may empty in-memory tables at any time. Closing the store makes memory use comparable.
    func rest() throws {
      guard !subject.backend.type.description.isDeterministic, subject.backend.leavesNothing == nil else { return }
      try store.close()
      store = try subject.open()
    }
    try rest()
    try expectNothingLeft(subject, "\(commits) commits") {
      try commit(done..<done + commits, to: store, &content, subject)
      done += commits
      try rest()
    }
    try subject.compare(store, content, "after \(commits) commits")
    try store.close()
    guard subject.backend.leavesNothing == nil else { return }
    try subject.expectStored(content, "after \(commits) commits and reopening")

    try reopen(subject, openings / 5)
    try expectNothingLeft(subject, "\(openings) openings") { try reopen(subject, openings) }
  }

  /// Runs the body up to three times. Records a violation if each run leaves more file descriptors or memory in use.
  private static func expectNothingLeft(_ subject: CheckSubject, _ what: String, _ body: () throws -> Void) throws {
    var usage = Usage()
    for tries in 1...3 {
      let before = usage
      try body()
      usage = .settled(before)
      let more = usage.descriptors - before.descriptors
      let growth = Int(usage.heap) - Int(before.heap)
      // A backend may declare that its library keeps some memory, which may depend on the library's version.
      if more <= 0, growth < slack || subject.backend.deviates(from: .memory) { return }
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

  private struct Usage {
    let descriptors = ci_open_files()
    let heap = ci_heap_in_use()

    static func settled(_ before: Usage) -> Usage {
      for _ in 0..<50 where Usage().descriptors > before.descriptors { usleep(20_000) }
      return Usage()
    }
  }

  /// Makes a series of commits. Each record is read before its change, to detect that an earlier commit was lost.
  private static func commit(
    _ numbers: Range<Int>, to store: any StorageBackend, _ content: inout StoreContent, _ subject: CheckSubject
  ) throws {
    // The commits cycle through fewer keys if each commit writes the whole store.
    let records = subject.backend.type.description.kind(subject.backend.options) == .wholeFile ? 10 : 1_000
    let passing: Int64 = 0
    for number in numbers {
      let change: Change =
        switch number % 10 {
        case 8: .put(SampleRecords.record(passing, "save \(number)"))
        case 9: .delete(passing)
        default: .put(SampleRecords.record(Int64(number % records) + 1, "save \(number)"))
        }
      try expectLast(change.record.id, content, before: number, in: store, subject)
      try content.commit([change], to: store)
    }
  }

  private static func expectLast(
    _ key: Int64, _ content: StoreContent, before number: Int, in store: any StorageBackend, _ subject: CheckSubject
  ) throws {
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
