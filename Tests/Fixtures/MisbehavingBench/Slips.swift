import Foundation
import StorageContract

// One backend for each fault of a store of one file, and one without a fault.

/// A backend over ``OneFile``, with the fault that has the name of the class.
class OneFileBackend: StorageBackend {
  private static var slip: Slip {
    guard let slip = Slip.allCases.first(where: { "\($0)".lowercased() == "\(self)".lowercased() }) else {
      fatalError("no slip has the name of the class \(self)")
    }
    return slip
  }

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

  func scan(_ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {
    let records = try file.table(collection).values.filter { keys.contains($0.id) }.sorted { $0.id < $1.id }
    for record in records where try !record.withView(body) { return }
  }

  func close() throws { try file.close() }
}

/// A backend without a fault: the faults of the others are their own.
final class Careful: OneFileBackend {}
final class AcknowledgesEarly: OneFileBackend {}
final class WritesInPlace: OneFileBackend {}
final class DropsInterrupted: OneFileBackend {}
final class IgnoresShortWrites: OneFileBackend {}
final class SwallowsFailures: OneFileBackend {}
final class KeepsStaleCache: OneFileBackend {}
final class SavesHalfBatches: OneFileBackend {}
final class DeletesWrongFile: OneFileBackend {}
final class LeavesLock: OneFileBackend {}
final class IgnoresFailedSyncs: OneFileBackend {}

// MARK: - Faults that a power cut reveals

/// A second backend without a fault, which also keeps saves through a power cut.
final class CarefulAndDurable: OneFileBackend {}
final class SyncsNothing: OneFileBackend {}
final class SyncsWrongFile: OneFileBackend {}
/// A backend whose new file has its name before its content, for a time.
final class RenamesFirst: OneFileBackend {}
final class LosesRenames: OneFileBackend {}
final class SkipsFirstSync: OneFileBackend {}
final class TearsHeader: OneFileBackend {}
