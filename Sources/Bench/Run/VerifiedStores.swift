import Foundation
import StorageContract
import StorageRunFiles
import StorageTrial

/// Verified stores that are kept. A later store with equal files, byte for byte, need not be verified again.
///
/// Kept stores are initial stores that were only read, and stores of whole-file engines, whose files are equal after
/// the same saves at every durability. If each round has its own random operations, its stores are kept until the next
/// round leaves a store.
final class VerifiedStores: @unchecked Sendable {
  private enum Origin: Hashable {
    /// A cost trial (process) has only read the store, so the store is still equal to the initial store at this path.
    case reading(fixture: String)
    /// A process that counts calls has made the store by the saves with this name.
    case counting(saves: String)
    /// A timed process has made the store by this number of operations, with the saves of this name and this random
    /// seed.
    case timing(saves: String, stream: UInt64, operations: Int)
  }

  private struct Store {
    let path: String
    /// The result of the verification by a separate process; nil for a timed trial, which verifies its own store.
    var response: TrialResponse?
    /// The number of cells (benchmarks) that may still compare their stores with this store, which is then removed.
    var askers = Int.max
    /// The bytes of the store and the seed of its operations, if a timed process has made the store; otherwise nil.
    var timed: (bytes: Int, stream: UInt64)?
  }

  /// Benchmarks that make the same saves: their number, and the directory of their kept stores.
  private struct Twins {
    var count: Int
    var directory: String
  }

  private let lock = NSLock()
  private var stores: [Origin: Store] = [:]
  /// The number of bytes of further stores that timed processes may keep.
  private var bytesLeft: Int
  /// The benchmarks that share their saves with others or make them in several rounds, by the name ``Cell/saves``.
  private let twins: [String: Twins]
  private let scratch: Scratch
  private let memory: Scratch?
  /// Whether the disk has space for the whole run, including the kept stores. On a disk with less space than the plan
  /// estimates, kept stores would take the space of a later benchmark.
  private let hasRoom: @Sendable () -> Bool

  /// - Parameters:
  ///   - scratch: The directory of the stores on the disk.
  ///   - memory: The directory of the stores in memory, for processes that count calls; nil if there is none.
  ///   - bytes: The limit of the bytes of timed processes' stores that are kept.
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

  /// Returns the verification of an earlier store with equal files, after calls were counted; nil if there is none.
  func response(for request: TrialRequest) -> TrialResponse? {
    guard let origin = origin(ofCounted: request), let store = lock.withLock({ stores[origin] }) else { return nil }
    let response = StoreFiles.areEqual(store.path, request.store) ? store.response : nil
    lock.withLock { stores[origin]?.askers -= 1 }
    if store.askers == 1 { scratch(of: store.path)?.remove(store.path) }
    return response
  }

  /// Keeps the verification of a store whose calls were counted, and the store unless an equal one is kept. The store
  /// is removed after the other benchmarks with the same saves have used it.
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

  /// Returns the directory of verified stores that timed trials (processes) left after the same saves, each named by
  /// its number of operations; nil if none is kept for this cell (benchmark).
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

  /// Returns the scratch directory, on the disk or in memory, that contains a path.
  private func scratch(of path: String) -> Scratch? {
    [scratch, memory].compactMap(\.self).first { path.hasPrefix($0.path + "/") }
  }
}

extension Cell {
  /// The name of the benchmark's saves, which is the same at every durability.
  fileprivate var saves: String {
    var cell = self
    cell.durability = nil
    return "saves of \(cell.name)"
  }
}
