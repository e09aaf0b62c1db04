import Foundation
import StorageContract

/// A crash test, which injects faults such as power cuts into a backend and finds out which saves survive. The
/// backend's type must not be private.
public struct CrashTest: Sendable {
  private let subject: CheckedBackend
  private let faults: [any CrashFault.Type]
  private let count: Int
  private let seed: UInt64
  private let history: SaveHistory
  private let directory: String
  private let keeps: String?
  private let replays: String?
  private let replay: CrashReplay?
  private let only: CrashCase?
  private let limit: Int

  /// The maximum number of explanations in the result of one fault. Each explanation is about one crash-test case.
  private static let storiesOfAFault = 3

  /// Creates a crash test of a backend at one durability. The directories `keeps` and `replays` are created if missing.
  ///
  /// - Parameters:
  ///   - faults: The ids of the faults to inject, such as `kill`; nil for ``CrashFaults/usual``.
  ///   - count: The approximate maximum number of crash-test cases for each fault. Power cuts have more cases.
  ///   - seed: The seed that selects the crash-test cases.
  ///   - history: The saves that each crash-test case makes.
  ///   - directory: An existing directory for stores. The default is the temporary directory.
  ///   - keeps: A directory for copies of the stores explained in ``CrashResult/stories``; nil for no copies.
  ///   - replays: A directory for replay files, which repeat power cuts on another machine; nil for no files.
  ///   - only: The only crash-test case to try; nil for many cases.
  ///   - replay: The content of a replay file: a crash-test case and saves, which replace `only` and `history`.
  ///   - limit: The timeout of each child process, in seconds.
  /// - Throws: `UsageError` if the backend does not offer the durability, or for an unknown fault.
  public init(
    _ backend: any StorageBackend.Type, options: Options = Options(), durability: Durability = .shipped,
    faults: [String]? = nil, count: Int = 200, seed: UInt64 = 1, history: SaveHistory = SaveHistory(),
    directory: String? = nil, keeps: String? = nil, replays: String? = nil, only: CrashCase? = nil,
    replay: CrashReplay? = nil, limit: Int = 30
  ) throws {
    guard let subject = CheckedBackend(backend, options, durability) else {
      let promise = backend.promise(durability, options)
      let reason = if case .unavailable(let reason) = promise { ": \(reason)" } else { "" }
      throw UsageError("\(backend.description.id) does not support durability \(durability.rawValue)\(reason)")
    }
    self.subject = subject
    let only = try replay.map { try CrashCase(parsing: $0.crashCase) } ?? only
    self.faults =
      try only.map { [try CrashFaults.fault($0.fault)] }
      ?? (faults ?? CrashFaults.usual).map(CrashFaults.fault)
    self.count = max(1, count)
    self.seed = seed
    self.history = replay?.saves ?? history
    self.directory = directory ?? FileManager.default.temporaryDirectory.path
    self.keeps = keeps
    self.replays = replays
    self.replay = replay
    self.only = only
    self.limit = limit
  }

  /// Injects each fault, such as a kill, many times. Judges the store each time, and returns one result for each fault.
  ///
  /// - Parameter progress: A closure that gets the number of finished crash-test cases, on the calling thread.
  /// - Throws:
  ///   - ``CrashTestError`` if the backend fails even without a fault.
  ///   - ``CallLogError`` if the log of system calls is incomplete.
  ///   - `UsageError` if a child process cannot be started, or if the crash-test case passed as `only` is invalid.
  ///   - `CancellationError` if the calling task is cancelled.
  ///   - An error of Foundation if the directory for stores cannot be written.
  public func results(progress: (CrashProgress) -> Void = { _ in }) throws -> [CrashResult] {
    let exemptions = faults.map { subject.leavesNothing ?? $0.exemption(subject) ?? obstacle($0) }
    guard exemptions.contains(nil) else {
      return zip(faults, exemptions).map { result($0, notApplicable: $1) }
    }
    let trials = try CrashTrials(subject, history, in: directory, limit: limit, seed: seed)
    defer { trials.end() }
    if let replay { try trials.adopt(replay) }
    let rehearsal = try rehearse(trials)
    return try zip(faults, exemptions).map { fault, reason in
      if let reason { return result(fault, notApplicable: reason) }
      return try result(fault, trials, rehearsal, progress)
    }
  }

  /// Returns the reason why a test of this fault cannot include the operation after the saves, such as a compaction.
  /// Nil if there is no such reason.
  private func obstacle(_ fault: any CrashFault.Type) -> String? {
    guard let operation = history.operation else { return nil }
    return fault.makesOperation
      ? operation.obstacle(subject) : "the programs of its processes do not \(operation.rawValue) the store"
  }

  /// Makes the saves without a fault and returns their system calls. Throws ``CrashTestError`` if the store does not
  /// keep the saves.
  private func rehearse(_ trials: CrashTrials) throws -> Rehearsal {
    let (rehearsal, outcome) = try trials.rehearse(trials.allSaves)
    let read = try trials.read([trials.store(outcome)])[0]
    let judge = SavingJudge(subject: subject, rules: SavingJudge.Rules(), outcome: outcome, read: read)
    let finding = judge.finding(CrashCase("none"))
    guard finding.verdict == .kept else {
      throw CrashTestError(
        "\(subject.name) does not keep its saves even when no fault is injected: \(finding.found)")
    }
    trials.discard(outcome)
    return rehearsal
  }

  private func result(_ fault: any CrashFault.Type, notApplicable: String?) -> CrashResult {
    let description = subject.type.description
    var result = CrashResult(
      backend: description.id, options: subject.options.description, durability: subject.durability,
      level: subject.level, engineVersion: description.engineVersion(for: subject.options), fault: fault.id)
    result.notApplicable = notApplicable
    return result
  }

  private func result(
    _ fault: any CrashFault.Type, _ trials: CrashTrials, _ rehearsal: Rehearsal, _ progress: (CrashProgress) -> Void
  ) throws -> CrashResult {
    let began = ContinuousClock.now
    let cases = try only.map { [$0] } ?? fault.cases(trials, rehearsal, count: count, seed: seed)
    guard !cases.isEmpty else { return result(fault, notApplicable: fault.lack(rehearsal)) }
    let findings = try fault.findings(cases, trials) { done in
      progress(
        CrashProgress(
          backend: subject.name, durability: subject.durability, fault: fault.id, done: done, cases: cases.count))
    }
    var result = self.result(fault, notApplicable: nil)
    result.settings = rehearsal.settings
    // A crash-test case given by --only must hit a system call; otherwise the case has tested nothing.
    if only != nil, !findings.isEmpty, findings.allSatisfy({ $0?.isReached == false }) {
      throw UsageError(
        "--only \(cases[0]) hits no call in \(subject.name), whose saves make fewer or other calls; give a case of a report about this backend"
      )
    }
    let possible = only == nil ? try fault.possible(trials, rehearsal, count: count) : [:]
    for finding in findings.compactMap({ $0 }) {
      let variant = fault.variant(finding.crashCase)
      result.add(finding, to: variant, isRepeatable: fault.isRepeatable(finding.crashCase), possible: possible[variant])
      if finding.isBroken { result.brokenCases.append(finding.crashCase.description) }
    }
    result.notes = notes(result, untried: findings.count { $0 == nil }) + trials.remarks
    trials.remarks = []
    result.stories = try stories(fault, findings.compactMap { $0 }, trials)
    result.seconds = began.duration(to: .now) / .seconds(1)
    return result
  }

  private func notes(_ result: CrashResult, untried: Int) -> [String] {
    var notes: [String] = []
    if untried > 0 {
      notes.append("\(untried) cases were not tried: a test file system cannot be mounted here.")
    }
    if result.tally.unreached > 0 {
      notes.append("In \(result.tally.unreached) of \(result.tally.cases) cases the fault came to nothing.")
    }
    if subject.type.description.mapped(subject.options) == .readsAndWrites, result.fault != DamageFault.id {
      notes.append("It writes through a memory mapping: only the calls that it makes beside that were hit.")
    }
    for model in DiskModel.allCases where model != .judged {
      let tally = result[model.rawValue]
      let worse = tally[.lostAgainst] + (subject.level >= .intact ? tally[.torn] + tally[.crashed] : 0)
      if worse > 0, result[DiskModel.judged.rawValue].broken == 0 {
        let risk = model == .strict ? "file systems unlike ext4" : "ext4 without a journal"
        notes.append("\(worse) states that the \(model.rawValue) model allows break the promise: a risk on \(risk).")
      }
    }
    return notes
  }

  private func stories(
    _ fault: any CrashFault.Type, _ findings: [CrashFinding], _ trials: CrashTrials
  ) throws -> [CrashStory] {
    let told = findings.filter { $0.verdict != .kept }.sorted { $0.isBroken && !$1.isBroken }
      .unique { "\($0.verdict) \($0.isBroken)" }
    return try told.prefix(Self.storiesOfAFault).map { finding in
      let shrinking = CrashShrinking(fault, trials)
      let smallest = finding.isBroken && only == nil ? try shrinking.smallest(finding) : finding
      let sentence = fault.sentence(smallest.crashCase, try shrinking.point(smallest.crashCase))
      return try story(smallest, sentence, fault, trials)
    }
  }

  private func story(
    _ finding: CrashFinding, _ sentence: String, _ fault: any CrashFault.Type, _ trials: CrashTrials
  ) throws -> CrashStory {
    let saves = try trials.saves(finding.crashCase)
    let made =
      saves.count > 2
      ? "S\(SavingJudge.list(saves).dropFirst()) are made."
      : saves.isEmpty
        ? "No save is made." : saves.map { "Save \($0) \(history.sentence($0))." }.joined(separator: " ")
    var sentences = [
      "\(subject.name) (\(subject.durability.rawValue)) promises \(subject.level.rawValue).", made,
    ]
    if let operation = history.operation { sentences.append(operation.sentence) }
    if !sentence.isEmpty { sentences.append(sentence.prefix(1).uppercased() + sentence.dropFirst()) }
    if !finding.call.isEmpty { sentences.append("\(finding.call).") }
    sentences += ["Expected: \(finding.expected).", "Found: \(finding.found)."]
    var story = CrashStory(
      caseName: finding.crashCase.description, variant: fault.variant(finding.crashCase), verdict: finding.verdict,
      isBroken: finding.isBroken, saves: saves,
      sentences: sentences, command: command(finding.crashCase))
    story.columns = finding.columns.isEmpty ? nil : finding.columns
    if let replays, let replay = try fault.replay(finding.crashCase, trials) {
      try FileManager.default.createDirectory(atPath: replays, withIntermediateDirectories: true)
      // Crash tests with other saves may have a case of the same name, so the path must be a new one.
      let path = Self.free("\(replays)/\(fileName(finding.crashCase))", ".json")
      try replay.write(to: path)
      story.replay = path
    }
    if let keeps {
      let path = Self.free("\(keeps)/\(fileName(finding.crashCase))", "")
      story.store = try fault.leave(finding.crashCase, in: path, trials)
    }
    return story
  }

  private func command(_ crashCase: CrashCase) -> String {
    [
      "storage-bench crashtest -b", subject.name, "--durability", subject.durability.rawValue, history.arguments,
      "--seed", String(seed), "--only", "'\(crashCase)'",
    ].filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// Returns the first unused path of a series such as `NAME.json`, `NAME 2.json` and `NAME 3.json`.
  private static func free(_ name: String, _ ending: String) -> String {
    var number = 1
    func path() -> String { "\(name)\(number == 1 ? "" : " \(number)")\(ending)" }
    var status = stat()
    while lstat(path(), &status) == 0 { number += 1 }
    return path()
  }

  private func fileName(_ crashCase: CrashCase) -> String {
    String("\(subject.name)-\(subject.durability.rawValue)-\(crashCase)".map { $0 == "/" ? "_" : $0 }.prefix(200))
  }
}

/// The progress of a crash test with one fault, such as a kill: the numbers of finished and of all crash-test cases.
public struct CrashProgress: Sendable {
  /// The name of the backend with its options, as on the command line.
  public let backend: String
  /// The durability requested from the backend, such as `durable`.
  public let durability: Durability
  /// The id of the fault that is being injected, such as `kill`.
  public let fault: String
  /// The number of finished crash-test cases for this fault.
  public let done: Int
  /// The number of all crash-test cases for this fault, finished or not.
  public let cases: Int
}
