import Foundation
import StorageContract

// One backend for each fault of a store of one file, and one without a fault.

/// A backend over ``OneFile``. A subclass names its fault.
class OneFileBackend: StorageBackend {
  /// The name of the backend, and its summary.
  class var words: (String, String) { fatalError("a subclass has a name") }
  class var slip: Slip { .none }

  static var description: BackendDescription {
    BackendDescription(
      id: words.0, summary: words.1, safety: "It misbehaves on purpose.", kind: { _ in .wholeFile },
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
final class Careful: OneFileBackend {
  override class var words: (String, String) { ("careful", "replaces its file with care") }
}

final class AcknowledgesEarly: OneFileBackend {
  override class var words: (String, String) {
    ("acknowledges-early", "acknowledges a save and writes it with the next one")
  }
  override class var slip: Slip { .acknowledgesEarly }
}

final class WritesInPlace: OneFileBackend {
  override class var words: (String, String) { ("writes-in-place", "empties its file and writes it where it is") }
  override class var slip: Slip { .writesInPlace }
}

final class DropsInterrupted: OneFileBackend {
  override class var words: (String, String) { ("drops-interrupted", "takes an interrupted write for made") }
  override class var slip: Slip { .dropsInterrupted }
}

final class IgnoresShortWrites: OneFileBackend {
  override class var words: (String, String) { ("ignores-short-writes", "takes every write for whole") }
  override class var slip: Slip { .ignoresShortWrites }
}

final class SwallowsFailures: OneFileBackend {
  override class var words: (String, String) { ("swallows-failures", "acknowledges saves that could not be written") }
  override class var slip: Slip { .swallowsErrors }
}

final class KeepsStaleCache: OneFileBackend {
  override class var words: (String, String) { ("keeps-stale-cache", "goes on with what could not be saved") }
  override class var slip: Slip { .keepsStaleCache }
}

final class SavesHalfBatches: OneFileBackend {
  override class var words: (String, String) { ("saves-half-batches", "saves each change by itself") }
  override class var slip: Slip { .savesHalfBatches }
}

final class DeletesWrongFile: OneFileBackend {
  override class var words: (String, String) { ("deletes-wrong-file", "removes the store when a save fails") }
  override class var slip: Slip { .deletesWrongFile }
}

final class LeavesLock: OneFileBackend {
  override class var words: (String, String) { ("leaves-lock", "locks by a file that stays when the process dies") }
  override class var slip: Slip { .leavesLock }
}

final class IgnoresFailedSyncs: OneFileBackend {
  override class var words: (String, String) { ("ignores-failed-syncs", "goes on when a sync has failed") }
  override class var slip: Slip { .ignoresSyncs }
}

// MARK: - Faults that a power cut reveals

/// A second backend without a fault, which also keeps saves through a power cut.
final class CarefulAndDurable: OneFileBackend {
  override class var words: (String, String) {
    ("careful-and-durable", "replaces its file with care, and syncs the directory")
  }
  override class var slip: Slip { .durable }
}

final class SyncsNothing: OneFileBackend {
  override class var words: (String, String) {
    ("syncs-nothing", "renames a file that is nowhere but in the page cache")
  }
  override class var slip: Slip { .syncsNothing }
}

final class SyncsWrongFile: OneFileBackend {
  override class var words: (String, String) { ("syncs-wrong-file", "syncs the file that is about to be replaced") }
  override class var slip: Slip { .syncsWrongFile }
}

/// A backend whose new file has its name before its content, for a time.
final class RenamesFirst: OneFileBackend {
  override class var words: (String, String) { ("renames-first", "syncs its file when it has been renamed already") }
  override class var slip: Slip { .renamesFirst }
}

final class LosesRenames: OneFileBackend {
  override class var words: (String, String) {
    ("loses-renames", "promises durable saves and does not sync the directory")
  }
  override class var slip: Slip { .forgetsDirectory }
}

final class SkipsFirstSync: OneFileBackend {
  override class var words: (String, String) { ("skips-first-sync", "syncs each save but the one that makes its file") }
  override class var slip: Slip { .skipsFirstSync }
}

final class TearsHeader: OneFileBackend {
  override class var words: (String, String) { ("tears-header", "overwrites a header that is longer than a sector") }
  override class var slip: Slip { .tearsHeader }
}
