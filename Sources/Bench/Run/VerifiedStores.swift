import Foundation
import StorageContract
import StorageRunFiles
import StorageTrial

/// What verifying stores has found, for those that are the same byte for byte: a process that has only the files to go by
/// would find the same again.
///
/// These are fixtures that were only read, and files that are written whole, which the same saves make the same at every
/// durability.
final class VerifiedStores: @unchecked Sendable {
  private struct Entry {
    let store: String
    let response: TrialResponse
    /// How many cells may still ask for it, after which ``directory`` goes.
    var askers = Int.max
    var directory: String?
  }

  private let lock = NSLock()
  private var entries: [String: Entry] = [:]
  /// How many cells make the same saves, by their common name.
  private let twins: [String: Int]

  private let remove: @Sendable (String) -> Void

  /// - Parameter remove: Removes the directory of a trial that nobody asks for any more.
  init(_ cells: [PlannedCell], remove: @escaping @Sendable (String) -> Void) {
    self.remove = remove
    twins = cells.filter { $0.isWholeFile && $0.refusal == nil && $0.cell.durability != nil }
      .reduce(into: [:]) { $0[$1.cell.saves, default: 0] += 1 }
  }

  /// What the cells are called by that make the same saves into a file that is written whole; nil where the cell is alone.
  func twins(of cell: Cell) -> String? {
    twins[cell.saves, default: 0] > 1 ? cell.saves : nil
  }

  /// What was found in a store of that name, if it was the same byte for byte.
  func response(_ name: String, for store: String) -> TrialResponse? {
    guard let entry = lock.withLock({ entries[name] }) else { return nil }
    let response = StoreFiles.areEqual(entry.store, store) ? entry.response : nil
    lock.withLock { entries[name]?.askers -= 1 }
    if entry.askers == 1, let directory = entry.directory { remove(directory) }
    return response
  }

  /// Notes what was found in a fixture, which stays.
  func keep(_ response: TrialResponse, _ name: String, fixture: String) {
    lock.withLock { entries[name] = Entry(store: fixture, response: response) }
  }

  /// Notes what was found in a trial's store, and takes its directory: it is removed when the other cells have asked.
  ///
  /// - Returns: False where the directory stays the caller's, since there is such a store already.
  func take(_ response: TrialResponse, _ name: String, _ request: TrialRequest) -> Bool {
    lock.withLock {
      guard entries[name] == nil else { return false }
      entries[name] = Entry(
        store: request.store, response: response, askers: twins[name, default: 1] - 1, directory: request.directory)
      return true
    }
  }
}
