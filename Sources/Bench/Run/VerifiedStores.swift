import Foundation
import StorageContract
import StorageRunFiles
import StorageTrial

/// Verified stores that are kept. A later store whose files are equal, byte for byte, need not be verified again.
///
/// Two kinds of stores are kept: initial stores that were only read, and stores of whole-file engines, whose files are
/// equal after the same saves at every durability. If each round has different random operations, the kept stores of a
/// round are removed when the next round leaves its first store.
final class VerifiedStores: @unchecked Sendable {
  private enum Origin: Hashable {
    /// A cost trial (process) has only read the store, so the store is still equal to the initial store at this path.
    case reading(fixture: String)
    /// A process that counts calls has made the store. The value is the name of its saves: ``Cell/saves``.
    case counting(saves: String)
    /// A timed process has made the store. The values are the name of its saves (``Cell/saves``), the random seed, and
    /// the number of its operations.
    case timing(saves: String, stream: UInt64, operations: Int)
  }

  private struct Store {
    let path: String
    /// The result of the verification by a separate process; nil for a timed trial, which verifies its own store.
    var response: TrialResponse?
    /// The number of benchmarks that may still compare their stores with this store. The store is removed at 0.
    var askers = Int.max
    /// The bytes of the store and the seed of its operations, if a timed process has made the store; otherwise nil.
    var timed: (bytes: Int, stream: UInt64)?
  }

  /// Benchmarks that make the same saves: the number of the benchmarks, and the directory of their kept stores.
  private struct Twins {
    var count: Int
    var directory: String
  }

  private let lock = NSLock()
  private var stores: [Origin: Store] = [:]
  /// The number of bytes that further kept stores of timed processes may occupy.
  private var bytesLeft: Int
  /// The groups of benchmarks whose stores can equal a kept store, by the name of their saves: ``Cell/saves``.
  private let twins: [String: Twins]
  private let scratch: Scratch
  private let memory: Scratch?
  /// Whether the disk has space for the whole run, including the kept stores. On a disk with less space than the plan
  /// estimates, kept stores would take the space of a later benchmark.
  private let hasRoom: @Sendable () -> Bool

  /// - Parameters:
  ///   - scratch: The directory of the stores on the disk.
  ///   - memory: The directory of the stores in memory, for processes that count calls; nil if there is none.
  ///   - bytes: The number of bytes that kept stores of timed processes may occupy.
  ///   - free: Returns the free bytes at a path.
  init(
    _ plan: Plan, _ scratch: Scratch, memory: Scratch? = nil, bytes: Int = Parallelism.bytesKept,
    free: @escaping @Sendable (String) -> Int? = Linux.freeBytes
  ) {
    let needed = PlanEstimate.bytes(plan)
    hasRoom = { (free(scratch.path) ?? 0) >= needed }
    (self.scratch, self.memory, bytesLeft) = (scratch, memory, bytes)
    let names = plan.cells.filter { $0.isWholeFile && $0.refusal == nil && $0.cell.durability != nil }.map(\.cell.saves)
    let rounds = plan.streamPerRound == true ? 1 : max(plan.rounds, 1)
    twins = Dictionary(grouping: names, by: { $0 }).mapValues(\.count)
      .filter { rounds * $0.value > 1 }.sorted { $0.key < $1.key }.enumerated()
      .reduce(into: [:]) { $0[$1.element.key] = Twins(count: $1.element.value, directory: "\($1.offset)") }
  }

  /// Returns the verification of an earlier store that equals the store of a counting process; nil if there is none.
  func response(for request: TrialRequest) -> TrialResponse? {
    guard let origin = origin(ofCounted: request), let store = lock.withLock({ stores[origin] }) else { return nil }
    let response = StoreFiles.areEqual(store.path, request.store) ? store.response : nil
    lock.withLock { stores[origin]?.askers -= 1 }
    if store.askers == 1 { scratch(of: store.path)?.remove(store.path) }
    return response
  }

  /// Keeps the verification of a store that a counting process left. Also keeps the store, unless an equal store is
  /// kept. The kept store is removed after all other benchmarks with the same saves have used it.
  func keep(_ response: TrialResponse, of request: TrialRequest) {
    switch origin(ofCounted: request) {
    case .reading(let fixture)?:
      guard StoreFiles.areEqual(fixture, request.store) else { return }
      lock.withLock { stores[.reading(fixture: fixture)] = Store(path: fixture, response: response) }
    case .counting(let saves)?:
      guard let twins = twins[saves] else { return }
      lock.withLock {
        take(request.store, in: twins.directory, named: "counted", .counting(saves: saves)) {
          Store(path: $0, response: response, askers: twins.count - 1)
        }
      }
    case .timing?, nil: break
    }
  }

  /// Returns the directory with the verified stores of timed trials (processes) that made the same saves. The name of
  /// each store is its number of operations. The result is nil if no stores are kept for this cell (benchmark).
  func directory(of request: TrialRequest) -> String? {
    guard request.cell.durability != nil, let twins = twins[request.cell.saves] else { return nil }
    return "\(scratch.verified)/\(Self.directory(twins, request))"
  }

  private static func directory(_ twins: Twins, _ request: TrialRequest) -> String {
    "\(twins.directory)-seed\(request.operationSeed)"
  }

  /// Keeps the verified store of a finished timed process, unless an equal store is kept, or the space is too small.
  func keep(_ request: TrialRequest, operations: Int) {
    let saves = request.cell.saves
    guard request.cell.durability != nil, let twins = twins[saves] else { return }
    let stream = request.operationSeed
    let origin = Origin.timing(saves: saves, stream: stream, operations: operations)
    lock.withLock {
      removeTimed(except: stream)
      guard stores[origin] == nil, hasRoom() else { return }
      let bytes = StoreFiles.sizes(request.store).allocated
      guard bytes <= bytesLeft else { return }
      bytesLeft -= bytes
      take(request.store, in: Self.directory(twins, request), named: "\(operations)", origin) {
        Store(path: $0, timed: (bytes, stream))
      }
    }
  }

  /// Removes the stores that timed processes left in earlier rounds, because no later process repeats their saves.
  private func removeTimed(except stream: UInt64) {
    for (origin, store) in stores {
      guard let timed = store.timed, timed.stream != stream else { continue }
      scratch(of: store.path)?.remove(store.path)
      stores[origin] = nil
      bytesLeft += timed.bytes
    }
  }

  /// Returns the key under which a cost trial's store is kept; nil if no other trial (process) leaves an equal store.
  private func origin(ofCounted request: TrialRequest) -> Origin? {
    if request.cell.durability == nil { return request.fixture.map { .reading(fixture: $0) } }
    return twins[request.cell.saves].flatMap { $0.count > 1 ? .counting(saves: request.cell.saves) : nil }
  }

  /// Moves a store to the directory of kept stores on the same disk. If this fails, the next equal store is verified
  /// again.
  private func take(
    _ store: String, in directory: String, named name: String, _ origin: Origin, _ kept: (String) -> Store
  ) {
    guard stores[origin] == nil, let scratch = scratch(of: store) else { return }
    let directory = "\(scratch.verified)/\(directory)"
    do {
      try scratch.makeDirectory(directory)
      try scratch.move(store, to: "\(directory)/\(name)")
      stores[origin] = kept("\(directory)/\(name)")
    } catch {}
  }

  private func scratch(of path: String) -> Scratch? {
    [scratch, memory].compactMap(\.self).first { path.hasPrefix($0.path + "/") }
  }
}

extension Cell {
  /// The name of the benchmark's saves: the benchmark's name without the durability.
  fileprivate var saves: String {
    var cell = self
    cell.durability = nil
    return "saves of \(cell.name)"
  }
}
