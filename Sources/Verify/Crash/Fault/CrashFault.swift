import StorageContract

/// One kind of fault, and how it is tried. To add one, write its file in `Faults` and its line in ``CrashFaults``.
protocol CrashFault: SendableMetatype {
  /// Its name on the command line.
  static var id: String { get }
  /// What is tried, as a half sentence.
  static var summary: String { get }
  /// Why it does not concern a backend, or nil.
  static func exemption(_ subject: CheckedBackend) -> String?
  /// Why there are no cases, as a half sentence.
  static func lack(_ rehearsal: Rehearsal) -> String
  /// The cases to try, drawn by a seed; none where no call can be hit.
  static func cases(_ trials: CrashTrials, _ rehearsal: Rehearsal, count: Int, seed: UInt64) throws -> [CrashCase]
  /// Tries cases.
  ///
  /// - Parameter progress: Called after each case with how many there are done.
  /// - Returns: A finding for each case, or nil for one that cannot be tried on this machine.
  static func findings(
    _ cases: [CrashCase], _ trials: CrashTrials, progress: (Int) -> Void
  ) throws -> [CrashFinding?]
  /// Makes a case once more, and leaves the store as nobody has opened it yet.
  ///
  /// - Parameter place: A directory, made if it is missing.
  /// - Returns: Where the store is.
  static func leave(_ crashCase: CrashCase, in place: String, _ trials: CrashTrials) throws -> String
  /// Whether a case gives the same each time.
  static func isRepeatable(_ crashCase: CrashCase) -> Bool
  /// What sets some cases apart from others of the same fault in results; empty where nothing does.
  static func variant(_ crashCase: CrashCase) -> String
  /// How many different cases of each variant there may be, where that is known and more than can be tried.
  static func possible(_ trials: CrashTrials, _ rehearsal: Rehearsal, count: Int) throws -> [String: Double]
  /// The smallest finding that shows the same; nil if it is to be looked for among fewer saves and earlier calls.
  static func smallest(_ finding: CrashFinding, _ trials: CrashTrials) throws -> CrashFinding?
  /// A case with all that it takes to make it again elsewhere; nil where its name is enough.
  static func replay(_ crashCase: CrashCase, _ trials: CrashTrials) throws -> CrashReplay?
  /// What happens in a case, as a sentence.
  ///
  /// - Parameter point: The call that is hit, where it is known.
  static func sentence(_ crashCase: CrashCase, _ point: Rehearsal.Point?) -> String
}

extension CrashFault {
  static func exemption(_ subject: CheckedBackend) -> String? { subject.leavesNothing }
  static func lack(_ rehearsal: Rehearsal) -> String { "it makes no call that this can happen to" }
  static func isRepeatable(_ crashCase: CrashCase) -> Bool { true }
  static func variant(_ crashCase: CrashCase) -> String { "" }
  static func replay(_ crashCase: CrashCase, _ trials: CrashTrials) -> CrashReplay? { nil }
  static func possible(_ trials: CrashTrials, _ rehearsal: Rehearsal, count: Int) -> [String: Double] { [:] }
  static func smallest(_ finding: CrashFinding, _ trials: CrashTrials) -> CrashFinding? { nil }
}

/// A fault that happens to a process while it makes saves.
protocol SavingFault: CrashFault {
  /// What happens in a case.
  ///
  /// - Throws: `UsageError` if the case is not whole.
  static func plan(_ crashCase: CrashCase) throws -> PlannedFault
  /// Whether the store must take saves again when the fault is over, in the same process.
  static var mustGoOn: Bool { get }
  /// Whether nothing may be there of a save that threw.
  static var mustTakeBack: Bool { get }
  /// Whether a case takes back what was not synced, as a power cut does.
  static func takesBack(_ crashCase: CrashCase) -> Bool
  /// Whether the description of a store tells that it dies of it.
  static func mayCrash(_ subject: CheckedBackend) -> Bool
  /// Whether the description of a store tells that it tears.
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

  static func leave(_ crashCase: CrashCase, in place: String, _ trials: CrashTrials) throws -> String {
    try trials.save(try trials.saves(crashCase), try plan(crashCase), in: place).store
  }

  static func findings(
    _ cases: [CrashCase], _ trials: CrashTrials, progress: (Int) -> Void
  ) throws -> [CrashFinding?] {
    var findings: [CrashFinding?] = []
    // Stores wait to be looked at by one process, since starting processes is what takes time.
    for start in stride(from: 0, to: cases.count, by: 50) {
      let some = cases[start..<min(cases.count, start + 50)]
      var outcomes: [SavingOutcome] = []
      for crashCase in some {
        outcomes.append(
          try trials.save(try trials.saves(crashCase), try plan(crashCase)))
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
      // What may end the process need not go on.
      mustGoOn: mustGoOn && !mayCrash(subject), mustTakeBack: mustTakeBack, takesBack: takesBack(crashCase),
      mayCrash: mayCrash(subject),
      mayTear: mayTear(subject))
  }
}
