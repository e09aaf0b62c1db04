import CStorageInstrument
import Foundation
import StorageContract

/// Starts the processes that save and those that look at what is left.
final class CrashTrials {
  let subject: CheckedBackend
  let history: SaveHistory
  /// Where stores are made; everything in it is this object's.
  let directory: String
  /// Seconds that a process may take.
  let limit: Int
  private var number = 0

  private var historyFile: String { "\(directory)/history.json" }

  /// Makes the directory.
  init(_ subject: CheckedBackend, _ history: SaveHistory, in parent: String, limit: Int) throws {
    self.subject = subject
    self.history = history
    self.limit = limit
    directory = "\(parent)/crashtest-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try StoredHistory(history).write(to: historyFile)
  }

  /// Removes everything.
  func end() { try? FileManager.default.removeItem(atPath: directory) }

  /// Every save of the history.
  var allSaves: [Int] { Array(1...history.saves.count) }

  /// Makes saves in a new process, with a fault on the way.
  ///
  /// - Parameter place: Where to work, and leave the store; by default a place of its own.
  func save(_ saves: [Int], _ fault: PlannedFault?, in place: String? = nil) throws -> SavingOutcome {
    try Task.checkCancellation()
    number += 1
    let places = ChildPlaces(directory: place ?? "\(directory)/\(number)")
    try places.make()
    let log = "\(places.directory)/calls"
    let task = SavingTask(
      type: try ChildLaunch.name(of: subject.type), options: subject.options.description,
      durability: subject.durability, history: historyFile, saves: saves, log: log, fault: fault)
    let ending = try ChildLaunch(places: places, limit: limit).perform(task)
    let answer = ending.status == 0 ? try? JSONDecoder().decode(SavingAnswer.self, from: ending.answer) : nil
    let isKilled = ending.status == -SIGKILL && fault?.isFatal == true
    let isOnOwnDisk = if case .disk = fault { true } else { false }
    return SavingOutcome(
      directory: places.directory, store: isOnOwnDisk ? places.left : places.store, fault: fault, saves: saves,
      ending: ending.sentence,
      isCrash: answer == nil && !isKilled, isKilled: isKilled, answer: answer,
      log: FileManager.default.fileExists(atPath: log) ? try CallLog(log, mayBeCut: isKilled) : CallLog(calls: []))
  }

  /// Makes saves without a fault, and sees that the log has missed nothing.
  ///
  /// - Throws: ``CrashTestError`` if the backend fails by itself; ``CallLogError`` if the log is not whole.
  func rehearse(_ saves: [Int]) throws -> (rehearsal: Rehearsal, outcome: SavingOutcome) {
    let outcome = try save(saves, nil)
    guard let answer = outcome.answer else {
      throw CrashTestError("\(subject.name) fails without any fault: \(outcome.ending)")
    }
    if let obstacle = answer.obstacle { throw CrashTestError("\(subject.name) cannot be tried: \(obstacle)") }
    if let failure = answer.failures.first {
      throw CrashTestError(
        "\(subject.name) fails without any fault, \(failure.place.sentence): \(failure.error.sentence)")
    }
    if let gap = answer.gap { throw CallLogError("the log of the calls of \(subject.name) misses some: \(gap)") }
    var files = ReplayedFiles()
    for call in outcome.log.calls { try files.apply(call) }
    if let difference = try files.differences(from: outcome.store).first {
      throw CallLogError("the log of the calls of \(subject.name) misses some: \(difference)")
    }
    return (try Rehearsal(outcome), outcome)
  }

  /// What a new process is to find in what a process has left.
  func store(_ outcome: SavingOutcome) -> StoreToRead {
    StoreToRead(
      directory: outcome.store, acknowledged: outcome.acknowledged, inFlight: outcome.inFlight, failed: outcome.failed)
  }

  /// Looks at stores in new processes.
  func read(_ stores: [StoreToRead]) throws -> [StoreRead] {
    try Task.checkCancellation()
    return try StoreReader(subject: subject, history: historyFile, directory: directory, limit: limit).read(stores)
  }

  /// Removes what a process has left.
  func discard(_ outcome: SavingOutcome) {
    try? FileManager.default.removeItem(atPath: outcome.directory)
  }
}

/// Why a crash test cannot be made.
public struct CrashTestError: Error, Sendable, CustomStringConvertible {
  /// The sentence.
  public let description: String

  /// Creates an error from its sentence.
  public init(_ description: String) { self.description = description }
}
