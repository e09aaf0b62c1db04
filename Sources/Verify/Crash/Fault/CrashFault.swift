import StorageContract

/// A kind of fault (a simulated crash or error) in a crash test, such as a power cut. ``CrashFaults`` lists all kinds.
protocol CrashFault: SendableMetatype {
  static var id: String { get }
  static var summary: String { get }
  /// Whether a crash test tries this fault by default.
  static var isUsual: Bool { get }
  /// Whether a crash test of this fault can also perform an operation after the saves, such as a compaction.
  static var makesOperation: Bool { get }
  /// Returns the reason why this fault cannot be tried on a backend that leaves files; nil if there is none.
  static func exemption(_ subject: CheckedBackend) -> String?
  /// Returns the reason why ``cases(_:_:count:seed:)`` returned no crash-test case, such as
  /// `its engine allocates no memory`.
  static func lack(_ rehearsal: Rehearsal) -> String
  /// Returns the crash-test cases to try, drawn at random with `seed`; empty if none is possible. In `rehearsal`, the
  /// saves were made without a fault.
  static func cases(_ trials: CrashTrials, _ rehearsal: Rehearsal, count: Int, seed: UInt64) throws -> [CrashCase]
  /// Runs crash-test cases and returns the result of each one. A result is nil if the fault cannot be injected on this
  /// machine.
  static func findings(_ cases: [CrashCase], _ trials: CrashTrials, progress: (Int) -> Void) throws -> [CrashFinding?]
  /// Repeats a crash-test case, and leaves the damaged store in `directory`. Returns the path of the store, which is
  /// not opened again.
  static func leave(_ crashCase: CrashCase, in directory: String, _ trials: CrashTrials) throws -> String
  static func isRepeatable(_ crashCase: CrashCase) -> Bool
  /// Returns the name of the variant of this fault in the crash-test case, such as `at random times` for a kill. The
  /// standard variant has an empty name.
  static func variant(_ crashCase: CrashCase) -> String
  /// Returns the number of possible crash-test cases for each variant of this fault. The result has no entry for a
  /// variant whose number is unknown.
  static func possible(_ trials: CrashTrials, _ rehearsal: Rehearsal, count: Int) throws -> [String: Double]
  /// Searches for a simpler crash-test case with the same verdict as `finding`. Returns nil if ``CrashShrinking`` must
  /// search instead.
  static func smallest(_ finding: CrashFinding, _ trials: CrashTrials) throws -> CrashFinding?
  /// Returns a file with which another machine can repeat the crash-test case. Nil for a fault that needs no such file.
  static func replay(_ crashCase: CrashCase, _ trials: CrashTrials) throws -> CrashReplay?
  static func sentence(_ crashCase: CrashCase, _ point: Rehearsal.Point?) -> String
}

extension CrashFault {
  static var isUsual: Bool { true }
  static var makesOperation: Bool { true }
  static func exemption(_ subject: CheckedBackend) -> String? { nil }
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
  /// Returns the rules by which the store is judged after the crash-test case.
  static func rules(_ subject: CheckedBackend, _ crashCase: CrashCase) -> SavingJudge.Rules
}

extension SavingFault {
  static func rules(_ subject: CheckedBackend, _ crashCase: CrashCase) -> SavingJudge.Rules {
    SavingJudge.Rules(mustGoOn: false)
  }

  static func sentence(_ crashCase: CrashCase, _ point: Rehearsal.Point?) -> String {
    (try? plan(crashCase))?.sentence(point) ?? ""
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
      let tried = outcomes.filter { $0.obstacle == nil }
      var reads = try trials.read(tried.map(trials.store))[...]
      findings += zip(some, outcomes).map { crashCase, outcome in
        guard outcome.obstacle == nil, let read = reads.popFirst() else { return nil }
        let judge = SavingJudge(
          subject: trials.subject, rules: rules(trials.subject, crashCase), outcome: outcome, read: read)
        return judge.finding(crashCase)
      }
      outcomes.forEach(trials.discard)
    }
    return findings
  }
}
