import CStorageInstrument
import Foundation
import StorageContract

/// A runner of schedules: orders in which two processes use a store. They are forks, so that a run takes milliseconds.
final class ScheduleRun {
  /// The progress of one step, such as a save, of a process that uses the store. Shared memory holds the raw values.
  enum State: UInt8 {
    case notBegun, begun, done
  }

  let type: any StorageBackend.Type
  let history: SaveHistory
  /// The numbers of the saves of ``history``, from 1, that the store holds before two processes use it.
  let base: [Int]
  let environment: StoreEnvironment
  private let schedule: OpaquePointer
  let memory: UnsafeMutablePointer<UInt8>
  private let limit: UInt32
  private var files: [(name: String, bytes: [UInt8])] = []
  var programs = ScheduledPrograms([[], []])
  private var locks = false
  private var losesNothing = true
  let level: Level
  /// The store's files at the start of a run, as a base for simulated power cuts. Nil for a run without power cuts.
  var filesBefore: ReplayedFiles?
  /// The number of acknowledged saves by each process before a simulated power cut. Nil if there was no power cut.
  var acknowledged: [Int]?
  /// The index (0 or 1) of the suspended process; nil if no process is suspended.
  private var suspended: Int?
  /// The process that runs this code: 0 or 1 for a user of the store, 2 for the inspector, nil for the parent.
  private var own: Int?

  private static let inspector = 2
  private static let messageBytes = 500

  init(_ subject: CheckedBackend, _ history: SaveHistory, base: [Int], in directory: String, limit: Int) throws {
    guard let schedule = ci_schedule_create() else { throw CrashTestError("there is no memory for a schedule") }
    self.schedule = schedule
    memory = ci_schedule_memory(schedule)
    (type, level, self.history, self.base, self.limit) = (subject.type, subject.level, history, base, UInt32(limit))
    environment = StoreEnvironment(
      directory: directory, options: ScheduleFault.options(subject), durability: subject.durability,
      collections: history.collections)
    try makeBase(subject.options)
  }

  /// Makes the store that the two processes use. The saving process does not close the store, so that a log file
  /// remains.
  private func makeBase(_ options: Options) throws {
    var environment = environment
    environment.options = options
    alone { [environment] run in
      let store = try run.type.init(opening: environment)
      for number in run.base { try store.commit(run.history.changes(number)) }
      _exit(0)
    }
    if let (word, sentence) = message(Self.inspector) {
      throw CrashTestError("the store cannot be made: \(word)\n\(sentence)")
    }
    files = DirectoryFiles.names(in: environment.directory).map { name in
      (name, [UInt8](FileManager.default.contents(atPath: environment.path(name)) ?? Data()))
    }
    guard !files.isEmpty else {
      throw CrashTestError(
        "the first saves left no file in the store's directory that two processes could share; test another backend")
    }
    // The first use of a library takes long, so it happens before the forks.
    let store = try ScheduledStore(type, environment, locks: false)
    losesNothing = store.losesNothing
    try store.save(saveChanges(0, 0))
    try store.checkpoint()
    try store.close()
    _ = try flaw()
  }

  /// Lets two processes use the store, and returns the flaw found. With `locks`, an engine without locks gets a file.
  func perform(_ programs: ScheduledPrograms, _ plan: SchedulePlan, locks: Bool) throws -> CrashFlaw? {
    var flaw = try judge(programs, plan, locks: locks)
    let isFragile = level <= .fragile
    let isUnlocked = !losesNothing && !locks
    // A fragile store may be destroyed by the kill, but its lock must not outlive the process.
    let isTornByKill = plan.event == .killed && flaw?.verdict != .crashed
    if let verdict = flaw?.verdict, isUnlocked && verdict == .lostAgainst || isFragile && (isUnlocked || isTornByKill) {
      flaw?.isBroken = false
      if verdict == .lostAgainst { flaw?.verdict = .lostWithin }
    }
    return flaw
  }

  private func judge(_ programs: ScheduledPrograms, _ plan: SchedulePlan, locks: Bool) throws -> CrashFlaw? {
    (self.programs, self.locks) = (programs, locks)
    suspended = plan.event == .suspended ? plan.first : nil
    try reset()
    filesBefore = plan.event == .cut ? try ReplayedFiles(readingFrom: environment.directory) : nil
    var endings: [Int32] = [0, 0]
    let error = ci_schedule_run(
      schedule, UInt32(plan.first), plan.lengths.map(UInt32.init), UInt32(plan.lengths.count), plan.event.ci,
      scheduledBody, Unmanaged.passUnretained(self).toOpaque(), limit, &endings)
    guard error == 0 else { throw CrashTestError("a process cannot be started: \(String(cString: strerror(error)))") }
    var waiting: CrashFlaw?
    for process in 0..<2 {
      if plan.event == .killed, process == plan.first, endings[process] == SIGKILL { continue }
      if suspended == 1 - process, let blocked = blocked(process, endings[process]) {
        waiting = blocked
        continue
      }
      if let sentence = Self.sentence(endings[process]) {
        return (.crashed, true, "process \(process + 1) \(sentence)")
      }
      if let (word, sentence) = message(process) {
        let verdict = CrashVerdict(rawValue: word) ?? .refused
        // Without a lock, files of the other process may cause an error, which breaks no guarantee.
        return (verdict, verdict != .refused || losesNothing || locks, "process \(process + 1) \(sentence)")
      }
    }
    return inspect() ?? waiting
  }

  /// Returns a flaw, which breaks no guarantee, if a process could not continue beside a suspended one; otherwise nil.
  private func blocked(_ process: Int, _ ending: Int32) -> CrashFlaw? {
    let error = message(process).flatMap { $0.word == Self.stopped ? $0.sentence : nil }
    guard let words = ending == CI_SCHEDULE_STUCK << 8 ? "waits in vain" : error else { return nil }
    return (.refused, false, "process \(process + 1) \(words), while process \(2 - process) is suspended")
  }

  /// The first line of a process's error message, if the other process was suspended at the time of the error.
  private static let stopped = "stopped"

  func inspect() -> CrashFlaw? {
    let status = alone { run in
      if let flaw = try run.flaw() { run.say(Self.inspector, flaw.verdict, flaw.found) }
    }
    if let sentence = Self.sentence(status) {
      return (.crashed, true, "a new process that opens the store \(sentence)")
    }
    guard let (word, sentence) = message(Self.inspector) else { return nil }
    let verdict = CrashVerdict(rawValue: word) ?? .torn
    return (verdict, verdict != .lostWithin, sentence)
  }

  // MARK: - The files

  /// Restores the original files of the store before the next run of the two processes.
  private func reset() throws {
    for name in DirectoryFiles.names(in: environment.directory) where !files.contains(where: { $0.name == name }) {
      try FileManager.default.removeItem(atPath: environment.path(name))
    }
    for file in files {
      let descriptor = open(environment.path(file.name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
      let error = descriptor < 0 ? errno : ci_write_all(descriptor, file.bytes, UInt64(file.bytes.count))
      close(descriptor)
      guard error == 0 else {
        throw CrashTestError("\(file.name) cannot be written: \(String(cString: strerror(error)))")
      }
    }
  }

  // MARK: - The processes

  @discardableResult
  private func alone(_ body: @escaping (ScheduleRun) throws -> Void) -> Int32 {
    message(Self.inspector, "")
    inspection = body
    return ci_schedule_alone(scheduledBody, Unmanaged.passUnretained(self).toOpaque(), limit)
  }

  private var inspection: (ScheduleRun) throws -> Void = { _ in }

  /// Does the work of one forked process. Processes 0 and 1 use the store alternately. Process 2 uses the store alone,
  /// for example to inspect it.
  fileprivate func run(_ process: Int) {
    own = process
    do {
      try process == Self.inspector ? inspection(self) : work(process)
    } catch {
      let seen = SeenError(error)
      if seen.isTyped, !seen.isDamage, suspended == 1 - process {
        return message(process, "\(Self.stopped)\ngets: \(error)")
      }
      let verdict: CrashVerdict = seen.isDamage ? .torn : seen.isTyped ? .refused : .crashed
      say(process, verdict, process == Self.inspector ? "a new process gets: \(error)" : "gets: \(error)")
    }
  }

  private func work(_ process: Int) throws {
    let isCut = filesBefore != nil
    _ = try CallWatch(environment.directory, log: isCut ? callLog(process) : nil, logsReads: true)
    ci_schedule_mark(-1)
    var store = try patiently { try ScheduledStore(self.type, self.environment, locks: self.locks) }
    var saves = 0
    for (index, step) in programs.steps[process].enumerated() {
      ci_schedule_mark(Int64(index))
      set(.begun, process, index)
      switch step {
      case .save:
        let changes = saveChanges(process, saves)
        saves += 1
        try patiently { try store.save(changes) }
        if isCut { ci_acknowledge(1) }
      case .read: try read(store, by: process, index)
      case .checkpoint:
        do { try store.checkpoint() } catch StoreError.busy {}
      case .reopen:
        try patiently { try store.close() }
        store = try patiently { try ScheduledStore(self.type, self.environment, locks: self.locks) }
      }
      set(.done, process, index)
    }
    ci_schedule_mark(Int64(programs.steps[process].count))
    try patiently { try store.close() }
  }

  /// Runs the body. After a conflict with the other process, lets that process continue and then runs the body again.
  private func patiently<Result>(_ body: () throws -> Result) throws -> Result {
    while true {
      do {
        return try body()
      } catch StoreError.busy(let text) {
        // A suspended process keeps its lock, so the same error would follow.
        guard suspended == nil || suspended == own, ci_schedule_wait() != 0 else { throw StoreError.busy(text) }
      } catch StoreError.conflict(let text) {
        guard ci_schedule_wait() != 0 else { throw StoreError.conflict(text) }
      }
    }
  }

  /// Reads the records that the two processes have saved, and reports a flaw if the store never had this content.
  private func read(_ store: ScheduledStore, by reader: Int, _ index: Int) throws {
    let before = saves(1 - reader, .done)
    let found = try patiently { try self.found(store, .records, from: Self.firstKey) }
    // A record that is there must have its twin, which is read later.
    let twins = try patiently { try self.found(store, self.twin, from: self.firstTwin) }
    for process in 0..<2 where !found[process].isSubset(of: twins[process]) {
      guard losesNothing || locks else { continue }
      let number = found[process].subtracting(twins[process]).min() ?? 0
      return say(reader, .torn, "reads half of save \(number + 1) of process \(process + 1)")
    }
    let own = programs.steps[reader].prefix(index).count { $0 == .save }
    let other = found[1 - reader].sorted()
    let isState = found[reader] == Set(0..<own) && other == Array(0..<other.count) && other.count >= before
    guard !isState, losesNothing || locks else { return }
    let seen = other.isEmpty ? "none" : other.map { String($0 + 1) }.joined(separator: ", ")
    say(
      reader, .torn,
      "reads a state that never existed: \(found[reader].count) of its \(own) saves, and of the other process's saves \(seen), when \(before) were acknowledged"
    )
  }

  /// Returns, for each process, the numbers (from 0) of the saves whose records are in a collection. `first` is the
  /// smallest possible key of these records.
  private func found(_ store: ScheduledStore, _ collection: CollectionID, from first: Int64) throws -> [Set<Int>] {
    var found: [Set<Int>] = [[], []]
    try store.scan(first...(first + Int64(2 * Self.keysOfAProcess) - 1), collection) { view in
      let offset = Int(view.id - first)
      found[offset / Self.keysOfAProcess].insert(offset % Self.keysOfAProcess)
      return true
    }
    return found
  }

  // MARK: - Messages

  private func messageOffset(_ process: Int) -> Int { 64 + process * 512 }

  private func say(_ process: Int, _ verdict: CrashVerdict, _ sentence: String) {
    message(process, "\(verdict.rawValue)\n\(sentence)")
  }

  private func message(_ process: Int, _ text: String) {
    let bytes = Array(text.utf8.prefix(Self.messageBytes)) + [0]
    for (index, byte) in bytes.enumerated() { memory[messageOffset(process) + index] = byte }
  }

  /// Returns the first line of a process's message, such as a verdict, and the sentence after it; nil for no message.
  private func message(_ process: Int) -> (word: String, sentence: String)? {
    let parts = String(cString: memory + messageOffset(process)).split(separator: "\n", maxSplits: 1).map(String.init)
    return parts.count == 2 ? (parts[0], parts[1]) : nil
  }

  /// Returns a description of an abnormal end, such as `ends with exit code 1`, from a status of waitpid; nil for a
  /// normal end.
  private static func sentence(_ status: Int32) -> String? {
    if status == 0 { return nil }
    if status == CI_SCHEDULE_STUCK << 8 { return "waits for the other one and does not come to an end" }
    let signal = status & 0x7f
    if signal == SIGALRM { return "does not come to an end" }
    return signal == 0 ? "ends with exit code \(status >> 8)" : "dies by signal \(signal)"
  }

  // MARK: - The record

  /// Returns the number of calls of `process` after which to try the next switch to the other process. The last run
  /// switched after `number` calls. Nil if no switch is left.
  func next(_ process: Int, _ number: Int) -> Int? {
    let next = ci_schedule_next(schedule, UInt32(process), UInt32(number))
    return next == UInt32.max ? nil : Int(next)
  }

  var points: UnsafeBufferPointer<ci_point> {
    var count: UInt32 = 0
    let points = ci_schedule_points(schedule, &count)
    return UnsafeBufferPointer(start: points, count: Int(count))
  }

  /// Returns the number of system calls and memory accesses of a process after which the last run could switch.
  func made(by process: Int) -> Int { points.count { $0.is_point != 0 && Int($0.process) == process } }

  var story: [String] { ScheduleStory(points: points, programs: programs).lines }
}

private func scheduledBody(_ context: UnsafeMutableRawPointer?, _ process: Int32) {
  guard let context else { return }
  Unmanaged<ScheduleRun>.fromOpaque(context).takeUnretainedValue().run(Int(process))
}
