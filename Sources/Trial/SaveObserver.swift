import CStorageInstrument
import StorageContract

/// An observer of the system calls of saves. It reports an error if the calls cannot give the durability level that the
/// backend guarantees.
struct SaveObserver {
  /// The durability level that the backend guarantees for its saves; nil if nothing is saved.
  let level: Level?
  private let witness: WriteVisibility

  init(_ request: TrialRequest, _ backend: any StorageBackend.Type, changesStore: Bool) {
    let options = request.cell.backend.options
    witness = backend.description.witness(options)
    if changesStore, case .level(let level) = backend.promise(request.cell.durability ?? .shipped, options) {
      self.level = level
    } else {
      level = nil
    }
  }

  func returned(endsInSave: Bool) { ci_acknowledge(endsInSave ? 1 : 0) }

  /// Checks that the calls of all observed saves can give the guaranteed durability level.
  ///
  /// - Throws: ``StoreError`` with the observed calls, if they cannot give the level.
  func confirm() throws {
    guard let level, witness == .calls else { return }
    if let refutation = ObservedSaves.counted.refutation(of: level) { throw StoreError.failed(refutation) }
  }

  /// A note for reports that the durability level cannot be confirmed; nil if calls were observed, or if no sync is
  /// required.
  var note: String? {
    guard let level, level >= .intact, let obstacle = witness.obstacle else { return nil }
    return "\(level.rawValue) is promised and not confirmed: \(obstacle)"
  }
}

extension ObservedSaves {
  fileprivate static var counted: ObservedSaves {
    var seen = ci_saves()
    ci_read_saves(&seen)
    return ObservedSaves(
      acknowledged: seen.acknowledged, unwritten: seen.unwritten, unsynced: seen.unsynced,
      syncedElsewhere: seen.synced_elsewhere, unnamed: seen.unnamed, renamed: seen.renamed,
      renamedUnsynced: seen.renamed_unsynced)
  }
}
