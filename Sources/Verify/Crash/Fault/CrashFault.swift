import StorageContract

/// A kind of fault (a simulated crash or error) in a crash test, such as a power cut. ``CrashFaults`` lists all kinds.
protocol CrashFault: SendableMetatype {
  static var id: String { get }
  static var summary: String { get }
  /// Whether a crash test tries this fault by default.
  static var isUsual: Bool { get }
  /// Whether a crash test with this kind of fault, such as a kill, can also perform an operation after the saves, such
  /// as a compaction. If false, a test with such an operation leaves out this kind of fault.
  static var makesOperation: Bool { get }
  static func exemption(_ subject: CheckedBackend) -> String?
  /// Returns the reason why this kind of fault cannot occur in a backend, such as `its engine allocates no memory`.
  /// `rehearsal` is a run without a fault, with the system calls and memory allocations that a fault can hit.
  static func lack(_ rehearsal: Rehearsal) -> String
  /// Returns the crash test cases to try with this kind of fault, drawn at random with `seed`. Empty if no case is
  /// possible. `rehearsal` is a run without a fault, with the system calls that a fault can hit.
  static func cases(_ trials: CrashTrials, _ rehearsal: Rehearsal, count: Int, seed: UInt64) throws -> [CrashCase]
  /// Tries crash test cases, and returns a verdict with an explanation for each case. A finding is nil if its case
  /// cannot be tried on this machine. `progress` receives the number of finished cases.
  static func findings(_ cases: [CrashCase], _ trials: CrashTrials, progress: (Int) -> Void) throws -> [CrashFinding?]
  /// Repeats a crash test case, and leaves the damaged store in `directory` for examination. Returns the path of the
  /// store, which is not opened again after the fault.
  static func leave(_ crashCase: CrashCase, in directory: String, _ trials: CrashTrials) throws -> String
  static func isRepeatable(_ crashCase: CrashCase) -> Bool
  /// Returns the name of the variant to which a crash test case belongs. A variant is a group of cases of one fault,
  /// such as kills `at random times`. The name is empty for ordinary cases, such as kills in a chosen system call.
  static func variant(_ crashCase: CrashCase) -> String
  /// Returns the number of possible cases for each variant of this fault, by the variant's name. For power cuts, each
  /// disk model, such as `strict`, is a variant. Variants without a known number are left out.
  static func possible(_ trials: CrashTrials, _ rehearsal: Rehearsal, count: Int) throws -> [String: Double]
  /// Searches for a simpler case with the same verdict as `finding`, for example a case with fewer saves. Returns the
  /// finding for the simplest case. Nil if this kind of fault has no special search; the caller then uses
  /// ``CrashShrinking``.
  static func smallest(_ finding: CrashFinding, _ trials: CrashTrials) throws -> CrashFinding?
  /// Returns a replay file, which repeats a crash test case on another machine. Returns nil if the text of the case,
  /// such as `kill:save=3:call=2`, is enough to repeat the case.
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
