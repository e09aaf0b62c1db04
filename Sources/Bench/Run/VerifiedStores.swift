import Foundation
import StorageContract
import StorageRunFiles
import StorageTrial

/// Stores that were verified, kept for whoever leaves the same files, byte for byte: in them would be found what was found
/// before.
///
/// These are fixtures that were only read, and files that are written whole, which the same saves make the same at every
/// durability. Rounds with operation streams of their own make different saves: what a round has left is kept until the
/// next one leaves something.
final class VerifiedStores: @unchecked Sendable {
  /// What has left a store.
  private enum Origin: Hashable {
    /// Cost passes that only read; a store is the fixture at this path still.
    case reading(fixture: String)
    /// A cost pass that makes the saves of this name.
    case counting(saves: String)
    /// A timed trial that has made so many of them, drawn from this seed.
    case timing(saves: String, stream: UInt64, operations: Int)
  }

  private struct Store {
    let path: String
    /// What a process has found that had only the files to go by; nil of a timed trial, which looks itself and tells no
    /// more than that they are right.
    var response: TrialResponse?
    /// How many cells may still ask for it, after which it is removed.
    var askers = Int.max
    /// Of a timed trial: its share of the bytes that may be kept, and the seed of its operations.
    var timed: (bytes: Int, stream: UInt64)?
  }

  /// Cells that make the same saves.
  private struct Twins {
    var count: Int
    /// The name of the directory of what they have left.
    var directory: String
  }

  private let lock = NSLock()
  private var stores: [Origin: Store] = [:]
  /// How many bytes of what timed trials leave may still be kept.
  private var bytesLeft: Int
  /// Those that are not alone or make the same saves in several rounds, by ``Cell/saves``.
  private let twins: [String: Twins]
  private let scratch: Scratch
  private let memory: Scratch?
  /// Whether the disk has room for the whole run, what is kept included. On one that is smaller than the plan announces,
  /// what is kept would take the room that a later cell needs.
  private let hasRoom: @Sendable () -> Bool

  /// - Parameters:
  ///   - scratch: Where trials have their stores.
  ///   - memory: Where cost passes have theirs if these fit.
  ///   - bytes: How many bytes of what timed trials leave are kept, all in all.
  ///   - free: The bytes that may still be written at a path.
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

  /// What was found in the store of a cost pass before, if it is the same byte for byte; nil where it is to be verified.
  func response(for request: TrialRequest) -> TrialResponse? {
    guard let origin = origin(ofCounted: request), let store = lock.withLock({ stores[origin] }) else { return nil }
    let response = StoreFiles.areEqual(store.path, request.store) ? store.response : nil
    lock.withLock { stores[origin]?.askers -= 1 }
    if store.askers == 1 { place(of: store.path)?.remove(store.path) }
    return response
  }

  /// Notes what was found in the store of a cost pass, and takes the store unless there is such a one already: it is
  /// removed when the other cells have asked.
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

  /// The directory of the stores that were verified after the same saves in timed trials, each named by its number of
  /// operations; nil if none is kept of this cell.
  func directory(of request: TrialRequest) -> String? {
    guard request.cell.durability != nil, let twins = twins[request.cell.saves] else { return nil }
    return "\(scratch.verified)/\(Self.directory(twins, request))"
  }

  private static func directory(_ twins: Twins, _ request: TrialRequest) -> String {
    "\(twins.directory)-seed\(request.operationSeed)"
  }

  /// Takes the store of a timed trial that was verified and is over, unless there is such a one already, or no room.
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

  /// Removes what earlier rounds have left: no trial makes their saves any more.
  private func removeTimed(except stream: UInt64) {
    for (origin, store) in stores {
      guard let timed = store.timed, timed.stream != stream else { continue }
      place(of: store.path)?.remove(store.path)
      stores[origin] = nil
      bytesLeft += timed.bytes
    }
  }

  /// What has left the store of a cost pass; nil where no other leaves the same.
  private func origin(ofCounted request: TrialRequest) -> Origin? {
    if request.cell.durability == nil { return request.fixture.map { .reading(fixture: $0) } }
    return twins[request.cell.saves].flatMap { $0.count > 1 ? .counting(saves: request.cell.saves) : nil }
  }

  /// Moves a store to where it is kept, on the disk that it is on. Where this fails, the next one is verified, too.
  private func take(
    _ store: String, in directory: String, named name: String, _ origin: Origin, _ kept: (String) -> Store
  ) {
    guard stores[origin] == nil, let place = place(of: store) else { return }
    let directory = "\(place.verified)/\(directory)"
    do {
      try place.makeDirectory(directory)
      try place.move(store, to: "\(directory)/\(name)")
      stores[origin] = kept("\(directory)/\(name)")
    } catch {}
  }

  /// The directory of stores that a path is in.
  private func place(of path: String) -> Scratch? {
    [scratch, memory].compactMap(\.self).first { path.hasPrefix($0.path + "/") }
  }
}

extension Cell {
  /// What the cells have in common that make the same saves, at whatever durability.
  fileprivate var saves: String {
    var cell = self
    cell.durability = nil
    return "saves of \(cell.name)"
  }
}
