import Foundation
import StorageContract
import StorageRunFiles
import StorageTrial

/// Verified stores, kept for comparison with the stores of later trials. The verification of equal files, byte for
/// byte, would give the same result.
///
/// The stores are fixtures that were only read, and files of whole-file engines, which the same saves make equal at
/// every durability. With a separate operation stream for each round, rounds make different saves. So the stores of a
/// round are kept until the next round leaves a store.
final class VerifiedStores: @unchecked Sendable {
  private enum Origin: Hashable {
    /// The store was only read by cost trials, so it is still equal to the fixture at this path.
    case reading(fixture: String)
    /// The store is that of a cost trial that makes the saves with this name.
    case counting(saves: String)
    /// The store is that of a timed trial that has made so many of these saves, drawn from this seed.
    case timing(saves: String, stream: UInt64, operations: Int)
  }

  private struct Store {
    let path: String
    /// The result of the verification by a separate process. The result is nil for a timed trial, which verifies its
    /// own store and reports only that the store is correct.
    var response: TrialResponse?
    /// The number of cells that may still need the store, after which the store is removed.
    var askers = Int.max
    /// The store's share of the bytes to keep, and the seed of its operations; nil unless from a timed trial.
    var timed: (bytes: Int, stream: UInt64)?
  }

  /// A group of cells that make the same saves.
  private struct Twins {
    var count: Int
    var directory: String
  }

  private let lock = NSLock()
  private var stores: [Origin: Store] = [:]
  /// The number of bytes of timed trials' stores that may still be kept.
  private var bytesLeft: Int
  /// The groups of cells that share their saves or make them in several rounds, by ``Cell/saves``.
  private let twins: [String: Twins]
  private let scratch: Scratch
  private let memory: Scratch?
  /// Whether the disk has space for the whole run, including the kept stores. On a disk with less space than the plan
  /// estimates, kept stores would take the space of a later cell.
  private let hasRoom: @Sendable () -> Bool

  /// - Parameters:
  ///   - scratch: The directory of the trials' stores.
  ///   - memory: The directory of the cost trials' stores, if they fit into memory.
  ///   - bytes: The limit of the bytes of timed trials' stores that are kept.
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

  /// Returns the result for an earlier store of a cost trial that is equal byte for byte; nil if the store must be
  /// verified.
  func response(for request: TrialRequest) -> TrialResponse? {
    guard let origin = origin(ofCounted: request), let store = lock.withLock({ stores[origin] }) else { return nil }
    let response = StoreFiles.areEqual(store.path, request.store) ? store.response : nil
    lock.withLock { stores[origin]?.askers -= 1 }
    if store.askers == 1 { scratch(of: store.path)?.remove(store.path) }
    return response
  }

  /// Keeps the result of a cost trial's verification, and the store unless an equal one is kept. The store is removed
  /// after the other cells have used it.
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

  /// Returns the directory of the verified stores of timed trials with the same saves, each named by its number of
  /// operations; nil if none is kept for this cell.
  func directory(of request: TrialRequest) -> String? {
    guard request.cell.durability != nil, let twins = twins[request.cell.saves] else { return nil }
    return "\(scratch.verified)/\(Self.directory(twins, request))"
  }

  private static func directory(_ twins: Twins, _ request: TrialRequest) -> String {
    "\(twins.directory)-seed\(request.operationSeed)"
  }

  /// Keeps the verified store of a finished timed trial, unless an equal store is kept, or the space is too small.
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

  /// Removes the stores of earlier rounds, because no trial repeats their saves.
  private func removeTimed(except stream: UInt64) {
    for (origin, store) in stores {
      guard let timed = store.timed, timed.stream != stream else { continue }
      scratch(of: store.path)?.remove(store.path)
      stores[origin] = nil
      bytesLeft += timed.bytes
    }
  }

  /// Returns the origin of the store of a cost trial; nil if no other trial leaves an equal store.
  private func origin(ofCounted request: TrialRequest) -> Origin? {
    if request.cell.durability == nil { return request.fixture.map { .reading(fixture: $0) } }
    return twins[request.cell.saves].flatMap { $0.count > 1 ? .counting(saves: request.cell.saves) : nil }
  }

  /// Moves a store to the directory of kept stores on the same disk. If this fails, the next store is verified, too.
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

  /// Returns the directory of stores that contains a path.
  private func scratch(of path: String) -> Scratch? {
    [scratch, memory].compactMap(\.self).first { path.hasPrefix($0.path + "/") }
  }
}

extension Cell {
  /// The key of the cell's saves, which are the same at every durability.
  fileprivate var saves: String {
    var cell = self
    cell.durability = nil
    return "saves of \(cell.name)"
  }
}
