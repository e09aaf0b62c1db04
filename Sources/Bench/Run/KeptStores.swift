import Foundation
import StorageContract
import StorageRunFiles
import StorageTrial

/// Stores that timed trials have left and verified, kept for the trials that make the same saves: whoever leaves the same
/// files, byte for byte, would find in them what was found before.
///
/// They are of files that are written whole, which the same saves make the same in every round and at every durability.
final class KeptStores: Sendable {
  /// Of the cells that make the same saves as another, or in several rounds, the directory, by ``Cell/saves``.
  private let directories: [String: String]
  private let room: Room
  private let scratch: Scratch
  /// Whether the disk has room for the whole run, what is kept included. On one that is smaller than the plan announces,
  /// what is kept would take the room that a later cell needs.
  private let hasRoom: @Sendable () -> Bool

  /// - Parameters:
  ///   - bytes: How many bytes are kept, all in all.
  ///   - free: The bytes that may still be written at a path.
  init(
    _ plan: Plan, _ scratch: Scratch, bytes: Int = Parallelism.bytesKept,
    free: @escaping @Sendable (String) -> Int? = Linux.freeBytes
  ) {
    let needed = PlanEstimate.bytes(plan)
    self.scratch = scratch
    hasRoom = { (free(scratch.path) ?? 0) >= needed }
    let names = plan.cells.filter { $0.isWholeFile && $0.refusal == nil && $0.cell.durability != nil }.map(\.cell.saves)
    directories = Dictionary(grouping: names, by: { $0 })
      .filter { plan.rounds * $0.value.count > 1 }.keys.sorted().enumerated()
      .reduce(into: [:]) { $0[$1.element] = "\(scratch.verified)/\($1.offset)" }
    room = Room(bytes)
  }

  /// Where the stores lie that were verified after a cell's saves, each by its number of operations, or nil if none is
  /// kept of this cell.
  func directory(of cell: Cell) -> String? { cell.durability == nil ? nil : directories[cell.saves] }

  /// Keeps the store of a trial that was verified and is over, unless there is such a store, or no room for it.
  func keep(_ request: TrialRequest, operations: Int) {
    guard let directory = directory(of: request.cell) else { return }
    let place = "\(directory)/\(operations)"
    guard !FileManager.default.fileExists(atPath: place), hasRoom(),
      room.take(StoreFiles.sizes(request.store).allocated)
    else { return }
    // Where this fails, the next one is verified, too.
    try? scratch.makeDirectory(directory)
    try? scratch.move(request.store, to: place)
  }
}

extension Cell {
  /// What the cells have in common that make the same saves, at whatever durability.
  var saves: String {
    var cell = self
    cell.durability = nil
    return "saves of \(cell.name)"
  }
}

/// How many bytes may still be taken.
private final class Room: @unchecked Sendable {
  private let lock = NSLock()
  private var left: Int

  init(_ bytes: Int) { left = bytes }

  func take(_ bytes: Int) -> Bool {
    lock.withLock {
      guard bytes <= left else { return false }
      left -= bytes
      return true
    }
  }
}
