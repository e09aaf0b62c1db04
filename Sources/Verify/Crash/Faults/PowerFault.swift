import Foundation
import StorageContract

/// A power cut during saves. The store is opened in the disk states that the logged system calls allow, as in ALICE
/// (Pillai et al., OSDI 2014), CrashMonkey (Mohan et al., OSDI 2018) and Pathfinder (OOPSLA 2025).
struct PowerFault: CrashFault {
  static let id = PowerCase.fault
  static let summary = "a power cut: data that was not synced may be missing"

  /// The maximum number of power cuts, per disk model, to combine with a second power cut. The second cut occurs while
  /// the store is opened again.
  private static let twice = 10
  /// Returns the effort of a power-cut test. The effort is low if at most 19 crash-test cases are requested, or if the
  /// backend's safety level is low.
  private static func effort(_ subject: CheckedBackend, count: Int) -> CutEffort {
    subject.level >= .intact && count >= 20 ? .long : .short
  }
  /// The maximum number of disk states in memory at a time. ``batchBytes`` limits their total size.
  private static let batch = 200
  private static let batchBytes = 256 << 20

  static func exemption(_ subject: CheckedBackend) -> String? {
    if subject.witness == .daemon { return "not replayed: another process writes for it, whose calls are not seen" }
    return subject.type.description.mapped(subject.options) == .readsAndWrites ? mapped : nil
  }

  private static let mapped = "not replayed: it writes through a memory mapping, which makes no calls"

  static func lack(_ rehearsal: Rehearsal) -> String {
    rehearsal.mapsFiles ? mapped : "it makes no call that this can happen to"
  }

  static func variant(_ crashCase: CrashCase) -> String { crashCase.kind }

  static func cases(_ trials: CrashTrials, _ rehearsal: Rehearsal, count: Int, seed: UInt64) throws -> [CrashCase] {
    guard !rehearsal.mapsFiles else { return [] }
    let saves = Array(trials.commits.prefix(count))
    let effort = effort(trials.subject, count: count)
    return try DiskModel.allCases.flatMap { try cases(trials, $0, saves, effort, seed: seed) }
  }

  static func possible(_ trials: CrashTrials, _ rehearsal: Rehearsal, count: Int) throws -> [String: Double] {
    let trace = try trials.logged(Array(trials.commits.prefix(count))).trace
    var possible: [String: Double] = [:]
    for model in DiskModel.allCases {
      let log = try DiskLog(trace, model)
      possible[model.rawValue] = (0...log.steps.count).reduce(0) { min($0 + log.possible(at: $1), DiskLog.uncountable) }
    }
    return possible
  }

  /// Returns crash-test cases for a power cut during the saves, one for each set of files that may remain. Adds some
  /// cases with a second power cut.
  private static func cases(
    _ trials: CrashTrials, _ model: DiskModel, _ saves: [Int], _ effort: CutEffort, seed: UInt64
  ) throws -> [CrashCase] {
    let log = try DiskLog(trials.logged(saves).trace, model)
    var replay = CutReplay(log)
    var seen: Set<CutContent> = []
    var cases: [PowerCase] = []
    for cut in 0...log.steps.count {
      for state in log.states(at: cut, effort, seed: seed) {
        let here = CutContent(files: replay.files(state).fingerprint, saves: [log.acknowledged[cut]])
        if seen.insert(here).inserted { cases.append(PowerCase(log, saves, state)) }
      }
    }
    var random = SeededRandom(seed: seed)
    let again = try cases.shuffled(using: &random).prefix(twice).flatMap { try secondCuts($0, trials) }
    let drawn = again.count > effort.again ? Array(again.shuffled(using: &random).prefix(effort.again)) : again
    return (cases + drawn).map(\.crashCase)
  }

  /// Returns copies of the crash-test case `first` with a second power cut. The second cut is tried at each step while
  /// the store is opened again.
  private static func secondCuts(_ first: PowerCase, _ trials: CrashTrials) throws -> [PowerCase] {
    var states = PowerStates(trials)
    guard let trace = try trials.reopening(states.left(first).files) else { return [] }
    let log = try DiskLog(trace, first.model)
    return log.steps.isEmpty
      ? []
      : (1...log.steps.count).flatMap { cut in
        let pending = log.pending(at: cut)
        let sets = [[], pending] + (pending.count > 1 ? pending.map { log.closed([$0], pending) } : [])
        return sets.prefix(pending.isEmpty ? 1 : sets.count).map { missing in
          var second = first
          second.second = NamedCut(cut: cut, missing: missing.map { log.changes[$0].name })
          return second
        }
      }
  }

  static func findings(_ cases: [CrashCase], _ trials: CrashTrials, progress: (Int) -> Void) throws -> [CrashFinding?] {
    var states = PowerStates(trials)
    var findings: [CrashFinding] = []
    var rest = cases[...]
    while !rest.isEmpty {
      var some: [(crashCase: CrashCase, cut: PowerCase, left: PowerStates.Left)] = []
      var bytes = 0
      while some.count < batch, bytes < batchBytes, let crashCase = rest.popFirst() {
        let cut = try PowerCase(crashCase, of: trials.everySave)
        some.append((crashCase, cut, try states.left(cut)))
        bytes += some.last?.left.files.files.values.reduce(0) { $0 + $1.count } ?? 0
      }
      let reads = try trials.readLeft(some.map { ($0.left.files, trials.onDisk(before: $0.cut.saves) + $0.cut.saves) })
      for (one, read) in zip(some, reads) {
        let onDisk = trials.onDisk(before: one.cut.saves)
        let judge = PowerJudge(
          subject: trials.subject, model: one.cut.model, saves: onDisk + one.cut.saves, onDisk: onDisk.count,
          acknowledged: onDisk.count + one.left.acknowledged, read: read)
        var finding = judge.finding(one.crashCase)
        if finding.verdict != .kept { finding.call = one.left.sentence }
        findings.append(finding)
      }
      progress(findings.count)
    }
    return findings
  }

  static func leave(_ crashCase: CrashCase, in directory: String, _ trials: CrashTrials) throws -> String {
    var states = PowerStates(trials)
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try states.left(PowerCase(crashCase, of: trials.everySave)).files.write(to: directory)
    return directory
  }

  static func replay(_ crashCase: CrashCase, _ trials: CrashTrials) throws -> CrashReplay? {
    let (trace, log) = try trials.logged(crashCase.saves(of: trials.everySave))
    return CrashReplay(crashCase, of: trials.subject, trials.history, base: trace.base, log: log)
  }

  static func sentence(_ crashCase: CrashCase, _ point: Rehearsal.Point?) -> String { "" }

  /// Returns the finding of a crash-test case with the same verdict as `finding` but fewer saves. If the search finds
  /// none, returns `finding`; never nil.
  static func smallest(_ finding: CrashFinding, _ trials: CrashTrials) throws -> CrashFinding? {
    let cut = try PowerCase(finding.crashCase, of: trials.everySave)
    guard cut.second == nil else { return finding }
    let near = trials.commits.prefix(4)
    let pairs = zip(near, near.dropFirst()).map { [$0, $1] }
    for saves in near.map({ [$0] }) + pairs where saves.count < cut.saves.count {
      let cases = try Self.cases(trials, cut.model, saves, .long, seed: 1)
      for start in stride(from: 0, to: cases.count, by: batch) {
        let found = try findings(Array(cases[start..<min(cases.count, start + batch)]), trials) { _ in }
        let same = found.lazy.compactMap { $0 }.first {
          $0.verdict == finding.verdict && $0.isBroken == finding.isBroken
        }
        if let same { return same }
      }
    }
    return finding
  }
}

/// A generator of disk states, which rebuilds the files that a power cut leaves on the disk.
private struct PowerStates {
  private let trials: CrashTrials
  private var saves: [Int] = []
  private var replay: CutReplay?

  /// The files on the disk after the last power cut of a crash-test case.
  typealias Left = (files: ReplayedFiles, acknowledged: Int, sentence: String)

  init(_ trials: CrashTrials) { self.trials = trials }

  mutating func left(_ cut: PowerCase) throws -> Left {
    let known = replay.flatMap { $0.log.model == cut.model && saves == cut.saves ? $0 : nil }
    var current = try known ?? CutReplay(DiskLog(trials.logged(cut.saves).trace, cut.model))
    let state = try cut.first.state(in: current.log, of: cut.crashCase)
    var files = current.files(state)
    (replay, saves) = (current, cut.saves)
    var sentence = current.log.sentence(state)
    if let secondCut = cut.second {
      guard let trace = try trials.reopening(files) else {
        throw CrashTestError(
          "case '\(cut.crashCase)' cannot be tried, because the store cannot be opened after its first power cut; "
            + "give the case without again= and lost=")
      }
      var second = CutReplay(try DiskLog(trace, cut.model))
      let again = try secondCut.state(in: second.log, of: cut.crashCase)
      files = second.files(again)
      sentence += ". While it is opened, \(second.log.sentence(again))"
    }
    return (files, current.log.acknowledged[state.cut], sentence)
  }
}

extension DiskLog {
  func sentence(_ state: CutState) -> String {
    let last = state.cut > 0 ? "after \(steps[state.cut - 1].call.sentence)" : "before the first call"
    let missing = state.missing.map { change in
      let what = steps[changes[change].step].call.sentence
      return changes[change].isLength
        ? "the length that \(what) gave" : changes[change].isInode ? "the inode that \(what) changed" : what
    }
    let more = missing.count - 3
    let list = missing.prefix(3).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    let gone = missing.isEmpty ? "" : "; of what was not synced, the disk lacks \(list)"
    let torn = state.torn.map { torn in
      "; of \(steps[changes[torn.change].step].call.sentence), only the bytes from \(torn.kept.lowerBound) to "
        + "\(torn.kept.upperBound) are there"
    }
    return "The power goes \(last)\(gone)\(torn ?? "")"
  }
}
