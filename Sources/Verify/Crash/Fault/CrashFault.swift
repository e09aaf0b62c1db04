import StorageContract

/// A kind of fault (a simulated crash or error) in a crash test, such as a power cut. ``CrashFaults`` lists all kinds.
protocol CrashFault: SendableMetatype {
  static var id: String { get }
  static var summary: String { get }
  /// Whether a crash test tries this fault by default.
  static var isUsual: Bool { get }
  /// Whether a test of this fault can also perform an operation after the saves, such as a compaction.
  static var makesOperation: Bool { get }
  static func exemption(_ subject: CheckedBackend) -> String?
  /// Returns the reason why this fault cannot occur, such as `its engine allocates no memory`. `rehearsal` is a run
  /// without a fault.
  static func lack(_ rehearsal: Rehearsal) -> String
  /// Returns the cases to try, drawn at random with `seed`; empty if none is possible. `rehearsal` is a run without a
  /// fault.
  static func cases(_ trials: CrashTrials, _ rehearsal: Rehearsal, count: Int, seed: UInt64) throws -> [CrashCase]
  /// Tries cases, and returns a finding for each; nil if the case cannot be tried here. `progress` gets the number of
  /// finished cases.
  static func findings(_ cases: [CrashCase], _ trials: CrashTrials, progress: (Int) -> Void) throws -> [CrashFinding?]
  /// Repeats a case, and leaves the damaged store in `directory`. Returns the path of the store, which is not opened
  /// again.
  static func leave(_ crashCase: CrashCase, in directory: String, _ trials: CrashTrials) throws -> String
  static func isRepeatable(_ crashCase: CrashCase) -> Bool
  /// Returns the name of the variant to which a case belongs, such as kills `at random times`. Empty for ordinary
  /// cases.
  static func variant(_ crashCase: CrashCase) -> String
  /// Returns the number of possible cases by the name of the variant, such as the disk model `strict`. Unknown numbers
  /// are left out.
  static func possible(_ trials: CrashTrials, _ rehearsal: Rehearsal, count: Int) throws -> [String: Double]
  /// Searches for a simpler case with the verdict of `finding`. Nil if this fault has no special search; see
  /// ``CrashShrinking``.
  static func smallest(_ finding: CrashFinding, _ trials: CrashTrials) throws -> CrashFinding?
  /// Returns a replay file, which repeats a case on another machine; nil if the text of the case is enough to repeat
  /// it.
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

/// A fault of a crash test that occurs while a process makes saves, such as a failed write.
protocol SavingFault: CrashFault {
  static func plan(_ crashCase: CrashCase) throws -> PlannedFault
  /// Whether the same process must be able to make saves after the fault.
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
