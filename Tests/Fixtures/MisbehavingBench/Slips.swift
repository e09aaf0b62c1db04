import Foundation
import StorageContract

// One backend for each fault of a store of one file, and one without a fault.

/// A backend over ``OneFile``. A subclass names its fault.
class OneFileBackend: StorageBackend {
  class var slip: Slip { .none }

  static var description: BackendDescription {
    BackendDescription(
      id: hyphenatedName, summary: slip.rawValue, safety: "It misbehaves on purpose.", kind: { _ in .wholeFile },
      engineVersion: { "none" })
  }

  static func promise(_ durability: Durability, _ options: Options) -> Promise {
    if Slip.durables.contains(slip) { return .level(.durable) }
    return durability == .durable ? .unavailable("a power cut may undo the last rename") : .level(.intact)
  }

  private let file: OneFile

  required init(opening environment: StoreEnvironment) throws { file = try OneFile(environment, Self.slip) }

  var settings: String { "fsync=yes" }

  func commit(_ changes: [Change]) throws { try file.commit(changes) }

  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    guard let record = try file.table(collection)[key] else { return false }
    try record.withView(body)
    return true
  }

  func scan(_ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {
    let records = try file.table(collection).values.filter { keys.contains($0.id) }.sorted { $0.id < $1.id }
    for record in records where try !record.withView(body) { return }
  }

  func count(in collection: CollectionID) throws -> Int { try file.table(collection).count }

  func close() throws { try file.close() }
}

/// A backend without a fault: the faults of the others are their own.
final class Careful: OneFileBackend {}

final class AcknowledgesEarly: OneFileBackend {
  override class var slip: Slip { .acknowledgesEarly }
}

final class WritesInPlace: OneFileBackend {
  override class var slip: Slip { .writesInPlace }
}

final class DropsInterrupted: OneFileBackend {
  override class var slip: Slip { .dropsInterrupted }
}

final class IgnoresShortWrites: OneFileBackend {
  override class var slip: Slip { .ignoresShortWrites }
}

final class SwallowsFailures: OneFileBackend {
  override class var slip: Slip { .swallowsErrors }
}

final class KeepsStaleCache: OneFileBackend {
  override class var slip: Slip { .keepsStaleCache }
}

final class SavesHalfBatches: OneFileBackend {
  override class var slip: Slip { .savesHalfBatches }
}

final class DeletesWrongFile: OneFileBackend {
  override class var slip: Slip { .deletesWrongFile }
}

final class LeavesLock: OneFileBackend {
  override class var slip: Slip { .leavesLock }
}

final class IgnoresFailedSyncs: OneFileBackend {
  override class var slip: Slip { .ignoresSyncs }
}

// MARK: - Faults that a power cut reveals

/// A second backend without a fault, which also keeps saves through a power cut.
final class CarefulAndDurable: OneFileBackend {
  override class var slip: Slip { .durable }
}

final class SyncsNothing: OneFileBackend {
  override class var slip: Slip { .syncsNothing }
}

final class SyncsWrongFile: OneFileBackend {
  override class var slip: Slip { .syncsWrongFile }
}

/// A backend whose new file has its name before its content, for a time.
final class RenamesFirst: OneFileBackend {
  override class var slip: Slip { .renamesFirst }
}

final class LosesRenames: OneFileBackend {
  override class var slip: Slip { .forgetsDirectory }
}

final class SkipsFirstSync: OneFileBackend {
  override class var slip: Slip { .skipsFirstSync }
}

final class TearsHeader: OneFileBackend {
  override class var slip: Slip { .tearsHeader }
}
