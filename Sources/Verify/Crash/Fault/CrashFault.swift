import StorageContract

/// A kind of fault in a crash test, such as a power cut. A new fault needs a file in `Faults` and a line in
/// ``CrashFaults``.
protocol CrashFault: SendableMetatype {
  static var id: String { get }
  static var summary: String { get }
  /// Whether a test tries the fault if no faults are named.
  static var isUsual: Bool { get }
  /// Whether a case makes the operation that may follow the saves of a history (``SaveHistory/operation``).
  static var makesOperation: Bool { get }
  static func exemption(_ subject: CheckedBackend) -> String?
  /// Returns the reason why the fault has no cases for a backend, as a phrase.
  static func lack(_ rehearsal: Rehearsal) -> String
  /// Returns the cases to try, drawn with the seed; empty if the fault can hit no call of the rehearsal (a run without
  /// a fault).
  static func cases(_ trials: CrashTrials, _ rehearsal: Rehearsal, count: Int, seed: UInt64) throws -> [CrashCase]
  /// Injects the fault of each case and judges the store afterwards. A finding is the verdict on a case, with an
  /// explanation. It is nil for a case that cannot be tried on this machine. `progress` receives the number of finished
  /// cases.
  static func findings(_ cases: [CrashCase], _ trials: CrashTrials, progress: (Int) -> Void) throws -> [CrashFinding?]
  /// Repeats a case and leaves the resulting store in a directory, without opening the store again. Returns the path of
  /// the store.
  static func leave(_ crashCase: CrashCase, in directory: String, _ trials: CrashTrials) throws -> String
  static func isRepeatable(_ crashCase: CrashCase) -> Bool
  /// Returns the name of a case's group in results, such as `at random times`; empty if there is only one group.
  static func variant(_ crashCase: CrashCase) -> String
  /// Returns the number of possible cases by variant, which is a group of cases such as those of one disk model. A
  /// variant is left out if its number is unknown or if all of its cases can be tried.
  static func possible(_ trials: CrashTrials, _ rehearsal: Rehearsal, count: Int) throws -> [String: Double]
  /// Returns the finding (verdict and explanation) of the simplest case with the same verdict. Returns nil to let the
  /// caller search for that case.
  static func smallest(_ finding: CrashFinding, _ trials: CrashTrials) throws -> CrashFinding?
  /// Returns a replay file, with all data to repeat the case elsewhere; nil if the name of the case is enough for that.
  static func replay(_ crashCase: CrashCase, _ trials: CrashTrials) throws -> CrashReplay?
  static func sentence(_ crashCase: CrashCase, _ point: Rehearsal.Point?) -> String
}

extension CrashFault {
  static var isUsual: Bool { true }
  static var makesOperation: Bool { true }
  static func exemption(_ subject: CheckedBackend) -> String? { subject.leavesNothing }
  static func lack(_ rehearsal: Rehearsal) -> String { "it makes no call that this can happen to" }
  static func isRepeatable(_ crashCase: CrashCase) -> Bool { true }
  static func variant(_ crashCase: CrashCase) -> String { "" }
  static func replay(_ crashCase: CrashCase, _ trials: CrashTrials) -> CrashReplay? { nil }
  static func possible(_ trials: CrashTrials, _ rehearsal: Rehearsal, count: Int) -> [String: Double] { [:] }
  static func smallest(_ finding: CrashFinding, _ trials: CrashTrials) -> CrashFinding? { nil }
}

/// A fault that occurs while a process makes saves.
protocol SavingFault: CrashFault {
  static func plan(_ crashCase: CrashCase) throws -> PlannedFault
  /// Whether the store must accept saves again after the fault, in the same process.
  static var mustGoOn: Bool { get }
  /// Whether a save that threw an error must leave no trace in the store.
  static var mustTakeBack: Bool { get }
  /// Returns whether the fault of a case discards unsynced data, as a power cut does.
  static func takesBack(_ crashCase: CrashCase) -> Bool
  static func mayCrash(_ subject: CheckedBackend) -> Bool
  static func mayTear(_ subject: CheckedBackend) -> Bool
}

extension SavingFault {
  static var mustGoOn: Bool { false }
  static var mustTakeBack: Bool { true }
  static func takesBack(_ crashCase: CrashCase) -> Bool { false }
  static func mayCrash(_ subject: CheckedBackend) -> Bool { false }
  static func mayTear(_ subject: CheckedBackend) -> Bool { false }

  static func sentence(_ crashCase: CrashCase, _ point: Rehearsal.Point?) -> String {
    guard let plan = try? plan(crashCase) else { return "" }
    return plan.sentence(point)
  }

  static func leave(_ crashCase: CrashCase, in directory: String, _ trials: CrashTrials) throws -> String {
    try trials.save(try trials.saves(crashCase), try plan(crashCase), in: directory).store
  }

  static func findings(_ cases: [CrashCase], _ trials: CrashTrials, progress: (Int) -> Void) throws -> [CrashFinding?] {
    var findings: [CrashFinding?] = []
    // One process inspects many stores, because starting processes takes most of the time.
    for start in stride(from: 0, to: cases.count, by: 50) {
      let some = cases[start..<min(cases.count, start + 50)]
      var outcomes: [SavingOutcome] = []
      for crashCase in some {
        outcomes.append(try trials.save(try trials.saves(crashCase), try plan(crashCase)))
        progress(start + outcomes.count)
      }
      let tried = outcomes.filter { $0.answer?.obstacle == nil }
      var reads = try trials.read(tried.map(trials.store))[...]
      for (crashCase, outcome) in zip(some, outcomes) {
        guard outcome.answer?.obstacle == nil, let read = reads.popFirst() else {
          findings.append(nil)
          continue
        }
        let judge = SavingJudge(
          subject: trials.subject, rules: rules(trials.subject, crashCase), outcome: outcome, read: read)
        findings.append(judge.finding(crashCase))
      }
      outcomes.forEach(trials.discard)
    }
    return findings
  }

  private static func rules(_ subject: CheckedBackend, _ crashCase: CrashCase) -> SavingJudge.Rules {
    SavingJudge.Rules(
      // A process that the fault may end cannot be required to continue.
      mustGoOn: mustGoOn && !mayCrash(subject), mustTakeBack: mustTakeBack, takesBack: takesBack(crashCase),
      mayCrash: mayCrash(subject),
      mayTear: mayTear(subject))
  }
}
