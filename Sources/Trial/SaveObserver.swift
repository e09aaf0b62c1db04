import CStorageInstrument
import StorageContract

/// An observer of the system calls of saves. It reports an error if these calls cannot give the durability level that
/// the backend guarantees, such as `durable`: a power cut loses no acknowledged save.
struct SaveObserver {
  /// The durability level that the backend guarantees for its saves; nil if the workload only reads, or if the backend
  /// cannot give the requested durability.
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

  /// Checks that the observed calls can give the guaranteed durability level. Throws ``StoreError`` with these calls if
  /// they cannot.
  func confirm() throws {
    guard let level, witness == .calls else { return }
    if let refutation = ObservedSaves.counted.refutation(of: level) { throw StoreError.failed(refutation) }
  }

  /// The reason why the durability level is unconfirmed, for reports; nil if the calls were observed or no sync is
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
