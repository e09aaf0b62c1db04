import CStorageInstrument
import Foundation
import StorageContract

/// A task that makes saves in a child process, with at most one fault.
struct SavingTask: ChildTask {
  var subject: CheckedBackend
  var history: String
  var earlier: [Int]
  var saves: [Int]
  var log: String
  var fault: PlannedFault?

  func perform(in child: ChildProcess) { child.answer(answer(in: child)) }

  private func answer(in child: ChildProcess) -> SavingAnswer {
    var answer = SavingAnswer()
    do {
      let history = try StoredHistory(reading: history).history
      let disk = fault?.fillsDisk == true ? ChildDisk.own(32 << 20) : .any
      if let reason = try child.confine(to: disk) { return SavingAnswer(obstacle: reason) }
      let environment = StoreEnvironment(
        directory: child.directories.store, options: subject.options, durability: subject.durability,
        collections: history.collections, hasTimers: false)
      var run = SavingRun(
        task: self, type: subject.type, history: history, environment: environment, directories: child.directories,
        content: history.content(after: earlier))
      answer = try run.perform()
    } catch {
      answer.obstacle = "\(error)"
    }
    return answer
  }
}

/// The answer of a child process that has made its saves.
struct SavingAnswer: Codable {
  /// An error that the store threw, and the state of the store after the error.
  struct Failure: Codable {
    var place: SavePosition
    var error: SeenError
    /// A description of wrong content after the error, such as `record 3 of records is missing`. Nil if the store has
    /// exactly the acknowledged saves.
    var stale: String?
    /// Whether the store contains the changes of the save that threw the error.
    var isThere = false
    var unreadable: SeenError?
  }

  var obstacle: String?
  var failures: [Failure] = []
  /// A description of wrong content after the last save. Nil if the store has exactly the acknowledged saves.
  var stale: String?
  var gap: String?
  var hits = 0
  /// The numbers of memory allocations by the engine's library in the opening of the store, each save and the closing.
  /// Empty if not counted.
  var allocations: [Int] = []
  var settings = ""
}

/// An error in a form that can be sent to another process.
struct SeenError: Codable, Hashable {
  var sentence: String
  var isTyped: Bool
  var isDamage: Bool

  init(_ error: any Error) {
    let typed = error as? StoreError
    sentence = "\(error)"
    isTyped = typed != nil
    isDamage = if case .damaged = typed { true } else { false }
  }
}

private struct SavingRun {
  let task: SavingTask
  let type: any StorageBackend.Type
  let history: SaveHistory
  let environment: StoreEnvironment
  let directories: ChildDirectories
  var content: StoreContent
  var answer = SavingAnswer()
  var isCounting = false

  mutating func perform() throws -> SavingAnswer {
    let watch = try CallWatch(environment.directory, log: task.log)
    dieLater()
    try begin(.opening)
    if let store = open() {
      ci_acknowledge(0)
      answer.settings = store.settings
      for number in task.saves { try save(number, store) }
      // An unreadable store has been recorded as a failure already, so its error is ignored.
      if task.fault?.isFatal == false { answer.stale = try? difference(store) }
      try begin(.closing)
      if let operation = history.operation { attempt(store) { try operation.perform(on: store) } }
      attempt(store) { try store.settle() }
      attempt(nil) { try store.close() }
      noteAllocations()
    }
    answer.gap = watch.end()
    end()
    try takeOut()
    return answer
  }

  private mutating func open() -> (any StorageBackend)? {
    for _ in 1...2 {
      do {
        return try type.init(opening: environment)
      } catch {
        fail(.opening, error, nil)
      }
    }
    return nil
  }

  private mutating func save(_ number: Int, _ store: any StorageBackend) throws {
    try begin(.save(number))
    do {
      try store.commit(history.changes(number))
      ci_acknowledge(1)
      content.apply(history.changes(number))
    } catch {
      ci_acknowledge(0)
      fail(.save(number), error, store)
    }
  }

  /// Runs one step after the last save. If the step fails, records the error and the difference between `store` and the
  /// expected content. `store` is nil in the step that closes the store.
  private mutating func attempt(_ store: (any StorageBackend)?, _ part: () throws -> Void) {
    do {
      try part()
    } catch {
      fail(.closing, error, store)
    }
  }

  private mutating func fail(_ position: SavePosition, _ error: any Error, _ store: (any StorageBackend)?) {
    var failure = SavingAnswer.Failure(place: position, error: SeenError(error))
    end()
    if let store {
      do {
        failure.stale = try difference(store)
        if failure.stale != nil, case .save(let number) = position { failure.isThere = try takesIn(number, store) }
      } catch {
        failure.unreadable = SeenError(error)
      }
    }
    answer.failures.append(failure)
  }

  private func difference(_ store: any StorageBackend) throws -> String? {
    let found = try StoreContent(reading: store, collections: history.collections.count)
    return found.isSame(as: content) ? nil : found.difference(from: content, history.collections)
  }

  /// Returns whether the store contains the save `number`, which threw an error. If so, adds the save to the expected
  /// content.
  private mutating func takesIn(_ number: Int, _ store: any StorageBackend) throws -> Bool {
    let before = content
    content.apply(history.changes(number))
    if try difference(store) == nil { return true }
    content = before
    return false
  }

  // MARK: - The fault

  private var library: String? { type.description.library(environment.options) }

  /// Records the number of memory allocations since the last call of this function, and begins to count again.
  private mutating func countAllocations() {
    noteAllocations()
    isCounting = library.map(MemoryPlan.count) ?? false
  }

  private mutating func noteAllocations() {
    if isCounting { answer.allocations.append(MemoryPlan.counts.all) }
  }

  private mutating func begin(_ position: SavePosition) throws {
    switch task.fault {
    case nil: countAllocations()
    case .calls(let plan, at: position): plan.begin()
    case .memory(let plan, at: position): library.map(plan.begin)
    case .disk(let room, at: position): try directories.fill(leaving: room)
    default: break
    }
  }

  private mutating func end() {
    var watched = ci_watched()
    ci_read_watched(&watched)
    answer.hits = max(answer.hits, Int(watched.hits))
    FaultPlan.end()
    if case .memory = task.fault {
      answer.hits = max(answer.hits, MemoryPlan.counts.failed)
      MemoryPlan.end()
    }
    if task.fault?.fillsDisk == true { try? FileManager.default.removeItem(atPath: directories.filler) }
  }

  private func dieLater() {
    guard case .killed(let nanoseconds) = task.fault else { return }
    Thread.detachNewThread {
      ci_sleep(Int64(nanoseconds))
      kill(getpid(), SIGKILL)
    }
  }

  /// Copies the store out of this process's private file system, which no other process can see.
  private func takeOut() throws {
    guard task.fault?.fillsDisk == true else { return }
    try FileManager.default.copyItem(atPath: directories.store, toPath: directories.left)
  }
}

extension ChildDirectories {
  var left: String { "\(directory)/left" }
}
