import Foundation
import StorageContract
import StorageRunFiles
import StorageTrial

/// The verified stores that a run keeps. A later store whose files are equal, byte for byte, need not be verified
/// again. The run keeps stores that were only read, and stores of engines that rewrite a whole file.
final class VerifiedStores: @unchecked Sendable {
  private enum Origin: Hashable {
    /// The origin of a verified store that a process only read while its system calls were counted. Later stores are
    /// compared with this store, which is equal to the initial store at the path `fixture`.
    case reading(fixture: String)
    /// The origin of a verified store to which a process saved while its system calls were counted. Later stores are
    /// compared with this store. `saves` names the group of benchmarks that make the same saves and differ only in
    /// their durability, so their stores may be equal.
    case counting(saves: String)
    /// The origin of a verified store to which a process saved while its operations were timed. Later stores are
    /// compared with this store. `saves` names the group of benchmarks that make the same saves and differ only in
    /// their durability. The stores of such benchmarks may be equal after the same number of `operations` with the same
    /// random seed `stream`.
    case timing(saves: String, stream: UInt64, operations: Int)
  }

  private struct Store {
    let path: String
    /// The result of the process that verified the store. Nil if the store comes from a process that timed operations,
    /// because such a process verifies its store itself before it ends.
    var response: TrialResponse?
    /// The number of benchmarks (askers) whose stores are still to be compared with this verified store. A store that
    /// equals this store need not be verified. After the last comparison, the number is 0, and this store is removed.
    /// With the default, `Int.max`, comparisons never remove this store.
    var askers = Int.max
    var timed: (bytes: Int, stream: UInt64)?
  }

  /// A group of benchmarks that make the same saves and differ only in their durability. `count` is the number of
  /// benchmarks in the group, and `directory` is the name of the directory in which their verified stores are kept.
  private struct Twins {
    var count: Int
    var directory: String
  }

  private let lock = NSLock()
  private var stores: [Origin: Store] = [:]
  private var bytesLeft: Int
  private let twins: [String: Twins]
  private let scratch: Scratch
  private let memory: Scratch?
  /// A closure that returns whether the disk has enough space for the whole run. If not, the verified stores of timed
  /// processes are not kept, to leave space for later benchmarks. Later stores then cannot be compared with verified
  /// stores, and must all be verified.
  private let hasRoom: @Sendable () -> Bool

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

  func response(for request: TrialRequest) -> TrialResponse? {
    guard let origin = origin(ofCounted: request), let store = lock.withLock({ stores[origin] }) else { return nil }
    let response = StoreFiles.areEqual(store.path, request.store) ? store.response : nil
    lock.withLock { stores[origin]?.askers -= 1 }
    if store.askers == 1 { scratch(of: store.path)?.remove(store.path) }
    return response
  }

  /// Keeps `response`, the result of verifying the store of a process whose system calls were counted. A later store
  /// with equal files gets the same result, and need not be verified. If the process saved to the store, this function
  /// also keeps the store for such comparisons. The kept store is removed after the last comparison with a benchmark
  /// that makes the same saves with another durability.
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

  /// Returns the directory with the verified stores to compare with the new store of a timed process. If the new store
  /// equals a verified store, the new store need not be verified. The verified stores come from earlier processes that
  /// made the same saves as `request` demands. The name of a verified store is its number of operations, such as `512`.
  /// Returns nil if no stores are kept for the benchmark.
  func directory(of request: TrialRequest) -> String? {
    guard request.cell.durability != nil, let twins = twins[request.cell.saves] else { return nil }
    return "\(scratch.verified)/\(Self.directory(twins, request))"
  }

  private static func directory(_ twins: Twins, _ request: TrialRequest) -> String {
    "\(twins.directory)-seed\(request.operationSeed)"
  }

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

  private func removeTimed(except stream: UInt64) {
    for (origin, store) in stores {
      guard let timed = store.timed, timed.stream != stream else { continue }
      scratch(of: store.path)?.remove(store.path)
      stores[origin] = nil
      bytesLeft += timed.bytes
    }
  }

  private func origin(ofCounted request: TrialRequest) -> Origin? {
    if request.cell.durability == nil { return request.fixture.map { .reading(fixture: $0) } }
    return twins[request.cell.saves].flatMap { $0.count > 1 ? .counting(saves: request.cell.saves) : nil }
  }

  /// Moves a store whose content was verified to the directory of kept stores. A later store with equal files then need
  /// not be verified. If the move fails, the store is not kept.
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
  fileprivate var saves: String {
    var cell = self
    cell.durability = nil
    return "saves of \(cell.name)"
  }
}
