import Foundation
import StorageContract
import StorageRunFiles
import StorageTrial

/// Stores that were verified, kept for whoever leaves the same files, byte for byte: in them would be found what was found
/// before.
///
/// These are fixtures that were only read, and files that are written whole, which the same saves make the same in every
/// round and at every durability.
final class VerifiedStores: @unchecked Sendable {
  /// What has left a store.
  private enum Origin: Hashable {
    /// Cost passes that only read; a store is the fixture at this path still.
    case reading(fixture: String)
    /// A cost pass that makes the saves of this name.
    case counting(saves: String)
    /// A timed trial that has made so many of them.
    case timing(saves: String, operations: Int)
  }

  private struct Store {
    let path: String
    /// What a process has found that had only the files to go by; nil of a timed trial, which looks itself and tells no
    /// more than that they are right.
    var response: TrialResponse?
    /// How many cells may still ask for it, after which it is removed.
    var askers = Int.max
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
  /// Those that are not alone or run in several rounds, by ``Cell/saves``.
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
    twins = Dictionary(grouping: names, by: { $0 }).mapValues(\.count)
      .filter { max(plan.rounds, 1) * $0.value > 1 }.sorted { $0.key < $1.key }.enumerated()
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
        take(request.store, of: twins, named: "counted", .counting(saves: saves)) {
          Store(path: $0, response: response, askers: twins.count - 1)
        }
      }
    case .timing?, nil: break
    }
  }

  /// Where the stores lie that were verified after a cell's saves in timed trials, each by its number of operations, or
  /// nil if none is kept of this cell.
  func directory(of cell: Cell) -> String? {
    guard cell.durability != nil, let twins = twins[cell.saves] else { return nil }
    return "\(scratch.verified)/\(twins.directory)"
  }

  /// Takes the store of a timed trial that was verified and is over, unless there is such a one already, or no room.
  func keep(_ request: TrialRequest, operations: Int) {
    let saves = request.cell.saves
    guard request.cell.durability != nil, let twins = twins[saves] else { return }
    let origin = Origin.timing(saves: saves, operations: operations)
    lock.withLock {
      guard stores[origin] == nil, hasRoom() else { return }
      let bytes = StoreFiles.sizes(request.store).allocated
      guard bytes <= bytesLeft else { return }
      bytesLeft -= bytes
      take(request.store, of: twins, named: "\(operations)", origin) { Store(path: $0) }
    }
  }

  /// What has left the store of a cost pass; nil where no other leaves the same.
  private func origin(ofCounted request: TrialRequest) -> Origin? {
    if request.cell.durability == nil { return request.fixture.map { .reading(fixture: $0) } }
    return twins[request.cell.saves].flatMap { $0.count > 1 ? .counting(saves: request.cell.saves) : nil }
  }

  /// Moves a store to where it is kept, on the disk that it is on. Where this fails, the next one is verified, too.
  private func take(_ store: String, of twins: Twins, named name: String, _ origin: Origin, _ kept: (String) -> Store) {
    guard stores[origin] == nil, let place = place(of: store) else { return }
    let directory = "\(place.verified)/\(twins.directory)"
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
