import Foundation
import StorageContract

/// A judge of a store after a fault, such as a kill. One process made the saves and another process read the store; the
/// judge uses the reports of both.
struct SavingJudge {
  /// The rules by which a store is judged after a fault, such as a kill or a failed write.
  struct Rules {
    /// Whether the same process must be able to make saves after the fault.
    var mustGoOn = true
    /// Whether the store must contain nothing of a save that threw an error.
    var mustTakeBack = true
    /// Whether the fault discards unsynced data, as a power cut does.
    var takesBack = false
    var mayCrash = false
    var mayTear = false
  }

  let subject: CheckedBackend
  let rules: Rules
  let outcome: SavingOutcome
  let read: StoreRead

  /// Whether the fault may lose or damage content without breaking a guarantee of the backend.
  private var isFragile: Bool { subject.level <= .fragile || rules.takesBack && subject.level < .durable }
  private var mustNotTear: Bool { !isFragile && !rules.mayTear }
  /// A process that the fault may end cannot be required to continue.
  private var mustGoOn: Bool { rules.mustGoOn && !rules.mayCrash && !isFragile }

  func finding(_ crashCase: CrashCase) -> CrashFinding {
    var finding = CrashFinding(crashCase: crashCase, expected: expected)
    finding.isReached =
      outcome.isKilled || outcome.isCrash || (outcome.answer?.hits ?? 0) > 0
      || outcome.fault?.fillsDisk == true
    // The violations are listed by seriousness, and the first one found decides the verdict.
    if let flaw = ending ?? inTheProcess ?? afterwards ?? silence ?? manners {
      (finding.verdict, finding.isBroken, finding.found) = flaw
    }
    return finding
  }

  private var expected: String {
    let saves = Self.list(outcome.acknowledged)
    let base = outcome.acknowledged.isEmpty ? "an empty store" : "what \(saves) left"
    return base + (outcome.inFlight.map { ", and save \($0) whole or not at all" } ?? "")
      + (outcome.failed.isEmpty ? "" : ", and nothing of \(Self.list(outcome.failed)), which threw")
  }

  static func list(_ saves: [Int]) -> String {
    guard let first = saves.first, let last = saves.last else { return "no save" }
    if saves.count == 1 { return "save \(first)" }
    if last - first == saves.count - 1 { return "saves \(first) to \(last)" }
    return "saves \(saves.dropLast().map(String.init).joined(separator: ", ")) and \(last)"
  }

  private var ending: CrashFlaw? { outcome.isCrash ? (.crashed, !rules.mayCrash, outcome.ending) : nil }

  /// The flaw that the saving process found in its store; nil if there is none.
  private var inTheProcess: CrashFlaw? {
    guard let answer = outcome.answer else { return nil }
    for failure in answer.failures {
      guard let stale = failure.stale else { continue }
      if failure.isThere {
        let found = "\(failure.place.phrase) threw and is there in the same process: \(stale)"
        return (.torn, mustNotTear && rules.mustTakeBack, found)
      }
      return (.torn, mustNotTear, "in the same process, after the error \(failure.place.sentence): \(stale)")
    }
    return answer.stale.map { (.torn, mustNotTear, "in the same process, after the last save: \($0)") }
  }

  /// The flaw that a new process found when it opened and read the store; nil if there is none.
  private var afterwards: CrashFlaw? {
    if let ending = read.ending { return (.crashed, !isFragile, "a process that opens the store dies: \(ending)") }
    if let error = read.error {
      let found = "a new process cannot read the store: \(error.sentence)"
      // A store whose process was killed while creating it has nothing to lose.
      if outcome.acknowledged.isEmpty, outcome.inFlight == nil { return (.refused, !error.isTyped, found) }
      return error.isDamage ? (.torn, mustNotTear, found) : lost(found)
    }
    switch read.content {
    case .acknowledged, .inFlight: break
    case .earlier(let count):
      return lost("\(Self.list(Array(outcome.acknowledged.dropFirst(count)))) is gone: \(read.difference)")
    case .failed(let number):
      let isBroken = mustNotTear && rules.mustTakeBack
      return (.torn, isBroken, "save \(number) is there, which threw: \(read.difference)")
    case .other, nil: return (.torn, mustNotTear, read.difference)
    }
    if let again = read.again { return (.torn, mustNotTear, "opened a second time: \(again)") }
    return read.next.map { (.refused, !isFragile, "a new process cannot make one save more: \($0)") }
  }

  private func lost(_ found: String) -> CrashFlaw { (isFragile ? .lostWithin : .lostAgainst, !isFragile, found) }

  /// The flaw that a save was acknowledged although one of its syncs had failed; nil if there is no such save.
  private var silence: CrashFlaw? {
    let acknowledged = Set(outcome.acknowledged)
    for (position, calls) in outcome.steps {
      guard case .save(let number) = position, acknowledged.contains(number) else { continue }
      // An interrupted sync has lost nothing, and the store may repeat it.
      let failed = calls.firstIndex { $0.isFault && $0.isSync && $0.failed && $0.result != -Int64(EINTR) }
      guard let failed else { continue }
      let isBroken = isRelied(on: calls[failed], calls, after: calls[(failed + 1)...])
      return (.unnoticed, isBroken, "save \(number) was acknowledged, one of whose syncs had failed")
    }
    return nil
  }

  /// Returns whether a failed file sync breaks a guarantee: from the level intact on, if a rename or a write to another
  /// file follows; at the level durable, also if no file sync of the save succeeds.
  private func isRelied(on failed: LoggedCall, _ calls: [LoggedCall], after rest: ArraySlice<LoggedCall>) -> Bool {
    // Power cuts test failed syncs of directories. A failed checkpoint is harmless, because the write-ahead log is
    // still there.
    guard failed.kind != .syncDirectory else { return false }
    let goesOn = rest.contains { call in
      !call.failed && (call.kind == .rename || call.kind == .write && call.file != failed.file)
    }
    let isSynced = calls.contains { $0.isSync && $0.kind != .syncDirectory && !$0.failed }
    return subject.level >= .intact && goesOn || subject.level == .durable && !isSynced
  }

  /// A flaw in the handling of an error, such as a thrown error that is not a `StoreError`; nil if there is none.
  private var manners: CrashFlaw? {
    guard let failures = outcome.answer?.failures, let first = failures.first else { return nil }
    if let failure = failures.first(where: { !$0.error.isTyped }) {
      let found = "\(failure.place.sentence), an error was thrown that is not a StoreError: \(failure.error.sentence)"
      return (.refused, true, found)
    }
    if let failure = failures.first(where: { $0.unreadable != nil }), let error = failure.unreadable {
      let found = "after the error \(failure.place.sentence), the same process cannot read the store: \(error.sentence)"
      return (.refused, !error.isTyped || mustGoOn, found)
    }
    let later = failures.dropFirst().first { $0.place != first.place || $0.place == .opening }
    return later.map { failure in
      let found = "the fault was over, and there was an error \(failure.place.sentence): \(failure.error.sentence)"
      return (.refused, mustGoOn, found)
    }
  }
}
