import Foundation
import StorageContract
import StorageRunFiles
import StorageTrial

/// The verified stores of a run. A later store with equal bytes is not verified again.
final class VerifiedStores: @unchecked Sendable {
  private struct Store {
    let path: String
    var response: TrialResponse
    /// The number of later stores that will be compared with this store. After the last comparison, this store is
    /// removed. `Int.max` means that it is kept.
    var askers = Int.max
  }

  private let lock = NSLock()
  /// The stores by the path of the initial store, if a benchmark has only read it, or by the name of the benchmark
  /// without its durability, `saves of plist/save-one/1000/-`.
  private var stores: [String: Store] = [:]
  /// The numbers of benchmarks that differ only in their durability, by their names without it. One of their stores is
  /// kept. The other stores are compared with that store.
  private let twins: [String: Int]
  private let scratch: Scratch
  private let memory: Scratch?

  init(_ plan: Plan, _ scratch: Scratch, memory: Scratch? = nil) {
    (self.scratch, self.memory) = (scratch, memory)
    let names = plan.cells.filter { $0.isWholeFile && $0.refusal == nil && $0.cell.durability != nil }.map(\.cell.saves)
    twins = Dictionary(grouping: names, by: { $0 }).mapValues(\.count).filter { $0.value > 1 }
  }

  func response(for request: TrialRequest) -> TrialResponse? {
    guard let key = key(ofCounted: request), let store = lock.withLock({ stores[key] }) else { return nil }
    let response = StoreFiles.areEqual(store.path, request.store) ? store.response : nil
    lock.withLock { stores[key]?.askers -= 1 }
    if store.askers == 1 { scratch(of: store.path)?.directory.remove(store.path) }
    return response
  }

  func keep(_ response: TrialResponse, of request: TrialRequest) {
    guard let key = key(ofCounted: request) else { return }
    guard let twins = twins[key] else {
      guard StoreFiles.areEqual(key, request.store) else { return }
      return lock.withLock { stores[key] = Store(path: key, response: response) }
    }
    guard let scratch = scratch(of: request.store) else { return }
    lock.withLock {
      guard stores[key] == nil else { return }
      // The runs of a pair share the folder.
      let directory = "\(scratch.verified)/\(UUID().uuidString)"
      let kept = Store(path: "\(directory)/counted", response: response, askers: twins - 1)
      // If the store cannot be moved, it is not kept.
      do {
        try scratch.directory.makeDirectory(directory)
        try scratch.directory.move(request.store, to: kept.path)
        stores[key] = kept
      } catch {}
    }
  }

  private func key(ofCounted request: TrialRequest) -> String? {
    if request.cell.durability == nil { return request.fixture }
    return twins[request.cell.saves] == nil ? nil : request.cell.saves
  }

  private func scratch(of path: String) -> Scratch? {
    [scratch, memory].compactMap(\.self).first { path.hasPrefix($0.path + "/") }
  }
}

extension Cell {
  fileprivate var saves: String { "saves of \(with { $0.durability = nil }.name)" }
}
