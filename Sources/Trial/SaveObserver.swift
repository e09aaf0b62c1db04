import CStorageInstrument
import StorageContract

/// Watches what saves do for their safety while calls are counted, and says so where that cannot give the level which
/// is promised.
struct SaveObserver {
  /// What the row promises; nil where nothing is saved.
  let level: Level?
  private let witness: WriteVisibility

  /// An observer of the saves of a cell.
  init(_ request: TrialRequest, _ backend: any StorageBackend.Type, changesStore: Bool) {
    let options = request.cell.backend.options
    witness = backend.description.witness(options)
    if changesStore, case .level(let level) = backend.promise(request.cell.durability ?? .shipped, options) {
      self.level = level
    } else {
      level = nil
    }
  }

  /// Tells that an operation has come back.
  func returned(endsInSave: Bool) { ci_acknowledge(endsInSave ? 1 : 0) }

  /// Judges all saves since counting began.
  ///
  /// - Throws: ``StoreError`` with what was seen, if it cannot give the level.
  func confirm() throws {
    guard let level, witness == .calls else { return }
    if let refutation = ObservedSaves.counted.refutation(of: level) { throw StoreError.failed(refutation) }
  }

  /// What is to be said of a row whose level rests on the backend's word; nil where calls were seen, or where the level
  /// asks for no sync.
  var note: String? {
    guard let level, level >= .intact, let obstacle = witness.obstacle else { return nil }
    return "\(level.rawValue) is promised and not confirmed: \(obstacle)"
  }
}

extension ObservedSaves {
  /// What was seen since counting began.
  fileprivate static var counted: ObservedSaves {
    var seen = ci_saves()
    ci_read_saves(&seen)
    return ObservedSaves(
      acknowledged: seen.acknowledged, unwritten: seen.unwritten, unsynced: seen.unsynced,
      syncedElsewhere: seen.synced_elsewhere, unnamed: seen.unnamed, renamed: seen.renamed,
      renamedUnsynced: seen.renamed_unsynced)
  }
}
