import Foundation
import StorageContract

/// The route of a save from its caller to the store: a direct call, a serial queue or an actor.
enum SaveRoute: String, CaseIterable {
  case direct, queue, actor

  static let option = OptionSpec(
    "via", allCases.map(\.rawValue),
    help: "save on the caller's thread, or hand the save to a serial queue or an actor; then the caller's time counts")

  init(_ options: Options) { self = SaveRoute(rawValue: options[Self.option]) ?? .direct }

  var words: WorkloadWords {
    switch self {
    case .direct: WorkloadWords("a save", .save, limit: .frame)
    case .queue: WorkloadWords("handing a save to a queue", .other, limit: .frame)
    case .actor: WorkloadWords("handing a save to an actor", .other, limit: .frame)
    }
  }

  func session(_ saves: CommittingSession) -> any WorkloadSession {
    switch self {
    case .direct: return saves
    case .queue:
      let queue = DispatchQueue(label: "saves")
      return HandedSaveSession(saves) { save in queue.async { save.make() } }
    case .actor:
      let actor = SavingActor()
      return HandedSaveSession(saves) { save in Task { await actor.make(save) } }
    }
  }
}

/// A session that times only the hand-over of each save to a queue or an actor, and then waits for the end of the save.
private final class HandedSaveSession: WorkloadSession {
  let blockSize: Int
  let measuresItself: Bool
  private let saves: CommittingSession
  private let handOver: (HandedSave) -> Void
  /// A thread that makes all calls of the store. A queue or an actor may change threads, but a store must not.
  private let team = ThreadTeam(workers: 1)
  private var durations: [Int64] = []
  private var start = 0

  init(_ saves: CommittingSession, _ handOver: @escaping (HandedSave) -> Void) {
    self.saves = saves
    self.handOver = handOver
    // A trial can stop only between blocks, so blocks are short.
    blockSize = min(64, saves.blockSize)
    measuresItself = !saves.context.isCounting
  }

  private func onStoreThread(_ body: () throws -> Void) throws { try team.perform(0..<1, { _ in try body() }) }

  func setUp() throws { try onStoreThread(saves.setUp) }
  func finish() throws { try onStoreThread(saves.finish) }

  var settings: String {
    var settings = ""
    try? onStoreThread { settings = saves.settings }
    return settings
  }

  func prepare(_ operations: Range<Int>) {
    saves.prepare(operations)
    start = operations.lowerBound
    durations = Array(repeating: 0, count: operations.count)
  }

  func perform(_ operation: Int) throws {
    let save = HandedSave { try self.onStoreThread { try self.saves.perform(operation) } }
    let began = MonotonicTime.now
    handOver(save)
    durations[operation - start] = MonotonicTime.now - began
    try save.wait()
  }

  func ownDuration(of operation: Int) -> Int64? { measuresItself ? durations[operation - start] : nil }

  func bytesChanged(by operations: Int) -> Int { saves.bytesChanged(by: operations) }
  func expectation(after operations: Int) -> Expectation { saves.expectation(after: operations) }
  func hash(_ operation: Int, into hash: inout StableHash) { saves.hash(operation, into: &hash) }
}

/// A save that the caller has handed over to another thread.
private final class HandedSave: @unchecked Sendable {
  // Sendable because the caller waits for the end of the save before using the store again.

  private let body: () throws -> Void
  private let ended = DispatchSemaphore(value: 0)
  private var result: Result<Void, any Error> = .success(())

  init(_ body: @escaping () throws -> Void) { self.body = body }

  func make() {
    result = Result(catching: body)
    ended.signal()
  }

  func wait() throws {
    ended.wait()
    try result.get()
  }
}

private actor SavingActor {
  func make(_ save: HandedSave) { save.make() }
}
