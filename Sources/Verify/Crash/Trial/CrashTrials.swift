import CStorageInstrument
import Foundation
import StorageContract

/// A runner of the processes of a crash test. Some processes make saves, and others inspect the stores afterwards.
final class CrashTrials {
  let subject: CheckedBackend
  let history: SaveHistory
  let directory: String
  let limit: Int
  let seed: UInt64
  private var number = 0
  private var traces: [[Int]: (trace: DiskTrace, log: Data)] = [:]
  private var reopenings: [Int: DiskTrace?] = [:]
  /// The results of inspecting stores after power cuts. Cuts that leave the same files and saves share one result.
  private var readings: [CutContent: StoreRead] = [:]

  /// The maximum number of saves that a crash-test case makes by default.
  private static let savesOfACase = 13

  /// Remarks about the fault that was tried last, as sentences for the report.
  var remarks: [String] = []

  var historyFile: String { "\(directory)/history.json" }

  init(_ subject: CheckedBackend, _ history: SaveHistory, in parent: String, limit: Int, seed: UInt64 = 1) throws {
    self.subject = subject
    self.history = history
    self.limit = limit
    self.seed = seed
    directory = "\(parent)/crashtest-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try StoredHistory(history).write(to: historyFile)
  }

  func end() { try? FileManager.default.removeItem(atPath: directory) }

  var everySave: [Int] { Array(1...history.saves.count) }
  /// The numbers, from 1, of the saves that a crash-test case makes by default.
  var allSaves: [Int] { Array(everySave.prefix(Self.savesOfACase)) }
  /// The numbers of the saves during which power cuts are tried. Save 1 is included only if the test makes no other
  /// save.
  var commits: [Int] { history.saves.count > 1 ? Array(everySave.dropFirst()) : everySave }
  /// Returns the numbers of the saves that the store already contains when the test makes the given saves.
  func onDisk(before saves: [Int]) -> [Int] { saves.first == 1 ? [] : [1] }

  func saves(_ crashCase: CrashCase) throws -> [Int] {
    crashCase["saves"] == nil ? allSaves : try crashCase.saves(of: everySave)
  }

  /// Makes saves in a new process, with an optional fault.
  ///
  /// - Parameters:
  ///   - workDirectory: The directory for the store and for files of the process; nil for a new directory.
  ///   - earlier: The numbers of the saves that the store already has.
  func save(
    _ saves: [Int], _ fault: PlannedFault?, in workDirectory: String? = nil, after earlier: [Int] = []
  ) throws -> SavingOutcome {
    try Task.checkCancellation()
    number += 1
    let directories = ChildDirectories(directory: workDirectory ?? "\(directory)/\(number)")
    try directories.make()
    let log = "\(directories.directory)/calls"
    let task = SavingTask(
      subject: subject, history: historyFile, earlier: earlier, saves: saves, log: log, fault: fault)
    let ending = try ChildLaunch(directories: directories, limit: limit).perform(task)
    let answer = ending.how == .exited(code: 0) ? ending.answer(SavingAnswer.self) : nil
    let isKilled = ending.how == .killed(signal: SIGKILL) && fault?.isFatal == true
    // A daemon that writes for the killed process ends a moment later, and may still rename files until then.
    if isKilled, subject.witness == .daemon { ci_sleep(200_000_000) }
    return SavingOutcome(
      directory: directories.directory, store: fault?.fillsDisk == true ? directories.left : directories.store,
      fault: fault, saves: saves, ending: ending.sentence, obstacle: ending.obstacle, isKilled: isKilled,
      answer: answer,
      log: FileManager.default.fileExists(atPath: log) ? try CallLog(log, mayBeCut: isKilled) : CallLog(calls: []))
  }

  /// Makes the saves without a fault, and logs the system calls. Throws ``CrashTestError`` if a save fails, and
  /// ``CallLogError`` if the log lacks calls.
  func rehearse(_ saves: [Int]) throws -> (rehearsal: Rehearsal, outcome: SavingOutcome) {
    let outcome = try save(saves, nil)
    try check(outcome, on: ReplayedFiles())
    return (try Rehearsal(outcome), outcome)
  }

  private func check(_ outcome: SavingOutcome, on base: ReplayedFiles) throws {
    if let obstacle = outcome.obstacle { throw CrashTestError("\(subject.name) cannot be tried: \(obstacle)") }
    try checkSaves(outcome)
    // A daemon's writes are not in the log, although the kernel adds them to this process's count after the daemon's
    // end.
    guard subject.witness != .daemon else { return }
    if let gap = outcome.answer?.gap {
      throw CallLogError("the log of the calls of \(subject.name) is incomplete: \(gap)")
    }
    var files = base
    for call in outcome.log.calls { try files.apply(call) }
    if let difference = try files.differences(from: outcome.store).first {
      throw CallLogError("the log of the calls of \(subject.name) is incomplete: \(difference)")
    }
  }

  /// Throws ``CrashTestError`` if the process did not end normally, or if its store threw an error.
  func checkSaves(_ outcome: SavingOutcome) throws {
    let failure = outcome.answer?.failures.first.map { ", \($0.place.sentence): \($0.error.sentence)" }
    guard let how = outcome.answer == nil ? ": \(outcome.obstacle ?? outcome.ending)" : failure else { return }
    throw CrashTestError("\(subject.name) fails even when no fault is injected\(how)")
  }

  // MARK: - The power cut

  /// Loads a replay file: the calls of saves on another machine. Throws ``CallLogError`` for an invalid log.
  func adopt(_ replay: CrashReplay) throws {
    let saves = try CrashCase(parsing: replay.crashCase).saves(of: everySave)
    let calls = try CallLog(replay.log, path: "the replay file").calls
    // Users exchange replay files. A manipulated file must not write outside the store or exhaust the memory.
    let most: UInt64 = 1 << 32
    let isWhole = calls.allSatisfy { call in
      CrashReplay.staysInside(call.name) && CrashReplay.staysInside(call.otherName) && call.length < most
        && (call.offset < most || call.kind == .open)
    }
    guard isWhole else {
      throw CallLogError("the log in the replay file has a call outside of the store, or one with an impossible length")
    }
    traces[saves] = (DiskTrace(base: replay.base, calls: calls), replay.log)
  }

  /// Returns the calls of these saves in a new process, and the files that existed before. Results are cached.
  func logged(_ saves: [Int]) throws -> (trace: DiskTrace, log: Data) {
    if let known = traces[saves] { return known }
    let earlier = onDisk(before: saves)
    let first = try earlier.isEmpty ? nil : rehearse(earlier).outcome
    let base = try first.map { try ReplayedFiles(readingFrom: $0.store) } ?? ReplayedFiles()
    let outcome = try save(saves, nil, in: first?.directory, after: earlier)
    try check(outcome, on: base)
    let log = FileManager.default.contents(atPath: "\(outcome.directory)/calls") ?? Data()
    discard(outcome)
    let logged = (DiskTrace(base: base, calls: outcome.log.calls), log)
    traces[saves] = logged
    return logged
  }

  /// Opens and closes the store that a power cut left. Returns the engine's system calls; nil if the store cannot be
  /// opened.
  func reopening(_ left: ReplayedFiles) throws -> DiskTrace? {
    let fingerprint = left.fingerprint
    if let known = reopenings[fingerprint] { return known }
    let directories = ChildDirectories(directory: "\(directory)/reopening")
    try? FileManager.default.removeItem(atPath: directories.directory)
    try directories.make()
    try left.write(to: directories.store)
    let base = try ReplayedFiles(readingFrom: directories.store)
    let outcome = try save([], nil, in: directories.directory)
    if let gap = outcome.answer?.gap {
      throw CallLogError("the log of the calls of \(subject.name) is incomplete: \(gap)")
    }
    let trace = outcome.answer?.failures.isEmpty == true ? DiskTrace(base: base, calls: outcome.log.calls) : nil
    reopenings[fingerprint] = .some(trace)
    return trace
  }

  /// Reads the stores that simulated power cuts left, and compares them with the expected saves. Each element of
  /// `states` is one store.
  func readLeft(_ states: [(files: ReplayedFiles, saves: [Int])]) throws -> [StoreRead] {
    let keys = states.map { CutContent(files: $0.files.fingerprint, saves: $0.saves) }
    var wanted: [CutContent: ReplayedFiles] = [:]
    for (key, state) in zip(keys, states) where readings[key] == nil { wanted[key] = state.files }
    let new = Array(wanted)
    let root = "\(directory)/left"
    defer { try? FileManager.default.removeItem(atPath: root) }
    let stores = try new.enumerated().map { index, one in
      let directory = "\(root)/\(index)"
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
      try one.value.write(to: directory)
      return StoreToRead(directory: directory, acknowledged: one.key.saves)
    }
    for (one, read) in zip(new, try read(stores)) { readings[one.key] = read }
    return keys.compactMap { readings[$0] }
  }

  // MARK: - Inspection

  func store(_ outcome: SavingOutcome) -> StoreToRead {
    StoreToRead(
      directory: outcome.store, acknowledged: outcome.acknowledged, inFlight: outcome.inFlight, failed: outcome.failed)
  }

  func read(_ stores: [StoreToRead]) throws -> [StoreRead] {
    try Task.checkCancellation()
    return try StoreInspector(subject: subject, history: historyFile, directory: directory, limit: limit).read(stores)
  }

  func discard(_ outcome: SavingOutcome) { try? FileManager.default.removeItem(atPath: outcome.directory) }
}

/// An error that prevents a crash test, such as a backend that fails even when no fault is injected.
public struct CrashTestError: Error, Sendable, CustomStringConvertible {
  /// The message of the error, such as `sqlite fails even when no fault is injected`.
  public let description: String

  /// Creates an error with this message.
  public init(_ description: String) { self.description = description }
}
