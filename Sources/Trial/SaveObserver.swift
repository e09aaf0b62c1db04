import CStorageInstrument
import StorageContract
import StorageVerify

/// An observer of the system calls during saves. It checks that the calls, for example syncs, match the safety level
/// that the backend promises.
struct SaveObserver {
  /// The safety level that the backend promises for saves. Nil if there is no level to check.
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

  /// Throws a ``StoreError`` if the observed system calls contradict the promised safety level, for example because a
  /// sync is missing.
  func confirm() throws {
    guard let level, witness == .calls else { return }
    if let refutation = ObservedSaves.counted.refutation(of: level) { throw StoreError.failed(refutation) }
  }

  /// The reason why the promised safety level was not checked, for reports. Nil if the level was checked or needs no
  /// check.
  var note: String? {
    guard let level, level >= .intact, let obstacle = witness.obstacle else { return nil }
    return "\(level.rawValue) is promised and not confirmed: \(obstacle)"
  }
}
