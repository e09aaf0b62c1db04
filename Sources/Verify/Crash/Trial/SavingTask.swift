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

  func perform(in child: ChildProcess) throws {
    let history = try StoredHistory(reading: history).history
    try child.confine(to: fault?.fillsDisk == true ? .own(32 << 20) : .any)
    var run = SavingRun(
      task: self, history: history, directories: child.directories, content: history.content(after: earlier))
    child.answer(try run.perform())
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
  let history: SaveHistory
  let directories: ChildDirectories
  var content: StoreContent
  var answer = SavingAnswer()
  var isCounting = false

  mutating func perform() throws -> SavingAnswer {
    let watch = try CallWatch(directories.store, log: task.log)
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
    if task.fault?.fillsDisk == true {
      // No other process can see this process's private file system.
      try FileManager.default.copyItem(atPath: directories.store, toPath: directories.left)
    }
    return answer
  }

  private mutating func open() -> (any StorageBackend)? {
    for _ in 1...2 {
      do {
        return try task.subject.type.init(
          opening: task.subject.environment(directories.store, history.collections))
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
    try StoreContent(reading: store, collections: history.collections.count)
      .difference(from: content, history.collections)
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

  /// The numbers of all and of failed allocations by the engine's library since ``ci_starve`` was called.
  private var allocations: (all: Int, failed: Int) {
    var (all, failed): (UInt64, UInt64) = (0, 0)
    ci_read_starved(&all, &failed)
    return (Int(all), Int(failed))
  }

  private mutating func noteAllocations() {
    if isCounting { answer.allocations.append(allocations.all) }
  }

  private mutating func begin(_ position: SavePosition) throws {
    switch task.fault {
    case nil:
      noteAllocations()
      // The count begins again. It fails if the library is not loaded in this process.
      isCounting = task.subject.library.map { ci_starve($0, 0, 0) == 0 } ?? false
    case .call(let number, let action, at: position): action.begin(at: number)
    case .memory(let allocation, let lasts, at: position):
      if let library = task.subject.library { _ = ci_starve(library, UInt64(allocation), lasts ? 1 : 0) }
    case .disk(let room, at: position): try directories.fill(leaving: room)
    default: break
    }
  }

  private mutating func end() {
    var watched = ci_watched()
    ci_read_watched(&watched)
    answer.hits = max(answer.hits, Int(watched.hits))
    ci_set_fault(nil)
    if case .memory = task.fault {
      answer.hits = max(answer.hits, allocations.failed)
      _ = ci_starve(nil, 0, 0)
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
}
