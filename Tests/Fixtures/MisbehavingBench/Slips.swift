import Foundation
import StorageContract

// One backend for each fault of a store of one file, and one without a fault.

/// A backend over ``OneFile``.
protocol OneFileBackend: StorageBackend {
  static var slip: Slip { get }
  var file: OneFile { get }
  init(_ file: OneFile)
}

extension OneFileBackend {
  static func describe(_ id: String, _ summary: String) -> BackendDescription {
    BackendDescription(
      id: id, summary: summary, safety: "It misbehaves on purpose.", kind: { _ in .wholeFile },
      engineVersion: { "none" })
  }

  static func promise(_ durability: Durability, _ options: Options) -> Promise {
    if Slip.durables.contains(slip) { return .level(.durable) }
    return durability == .durable ? .unavailable("a power cut may undo the last rename") : .level(.intact)
  }

  init(opening environment: StoreEnvironment) throws { self.init(try OneFile(environment, Self.slip)) }

  var settings: String { "fsync=yes" }

  func commit(_ changes: [Change]) throws { try file.commit(changes) }

  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    guard let record = try file.table(collection)[key] else { return false }
    try record.withView(body)
    return true
  }

  func scan(
    _ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool
  ) throws {
    let records = try file.table(collection).values.filter { keys.contains($0.id) }.sorted { $0.id < $1.id }
    for record in records where try !record.withView(body) { return }
  }

  func count(in collection: CollectionID) throws -> Int { try file.table(collection).count }

  func close() throws { try file.close() }
}

/// A backend without a fault: the faults of the others are their own.
final class Careful: OneFileBackend {
  static let description = describe("careful", "replaces its file with care")
  static let slip = Slip.none
  let file: OneFile

  init(_ file: OneFile) { self.file = file }
}

final class AcknowledgesEarly: OneFileBackend {
  static let description = describe("acknowledges-early", "acknowledges a save and writes it with the next one")
  static let slip = Slip.acknowledgesEarly
  let file: OneFile

  init(_ file: OneFile) { self.file = file }
}

final class WritesInPlace: OneFileBackend {
  static let description = describe("writes-in-place", "empties its file and writes it where it is")
  static let slip = Slip.writesInPlace
  let file: OneFile

  init(_ file: OneFile) { self.file = file }
}

final class DropsInterrupted: OneFileBackend {
  static let description = describe("drops-interrupted", "takes an interrupted write for made")
  static let slip = Slip.dropsInterrupted
  let file: OneFile

  init(_ file: OneFile) { self.file = file }
}

final class IgnoresShortWrites: OneFileBackend {
  static let description = describe("ignores-short-writes", "takes every write for whole")
  static let slip = Slip.ignoresShortWrites
  let file: OneFile

  init(_ file: OneFile) { self.file = file }
}

final class SwallowsFailures: OneFileBackend {
  static let description = describe("swallows-failures", "acknowledges saves that could not be written")
  static let slip = Slip.swallowsErrors
  let file: OneFile

  init(_ file: OneFile) { self.file = file }
}

final class KeepsStaleCache: OneFileBackend {
  static let description = describe("keeps-stale-cache", "goes on with what could not be saved")
  static let slip = Slip.keepsStaleCache
  let file: OneFile

  init(_ file: OneFile) { self.file = file }
}

final class SavesHalfBatches: OneFileBackend {
  static let description = describe("saves-half-batches", "saves each change by itself")
  static let slip = Slip.savesHalfBatches
  let file: OneFile

  init(_ file: OneFile) { self.file = file }
}

final class DeletesWrongFile: OneFileBackend {
  static let description = describe("deletes-wrong-file", "removes the store when a save fails")
  static let slip = Slip.deletesWrongFile
  let file: OneFile

  init(_ file: OneFile) { self.file = file }
}

final class LeavesLock: OneFileBackend {
  static let description = describe("leaves-lock", "locks by a file that stays when the process dies")
  static let slip = Slip.leavesLock
  let file: OneFile

  init(_ file: OneFile) { self.file = file }
}

final class IgnoresFailedSyncs: OneFileBackend {
  static let description = describe("ignores-failed-syncs", "goes on when a sync has failed")
  static let slip = Slip.ignoresSyncs
  let file: OneFile

  init(_ file: OneFile) { self.file = file }
}

// MARK: - Faults that a power cut reveals

/// A second backend without a fault, which also keeps saves through a power cut.
final class CarefulAndDurable: OneFileBackend {
  static let description = describe("careful-and-durable", "replaces its file with care, and syncs the directory")
  static let slip = Slip.durable
  let file: OneFile

  init(_ file: OneFile) { self.file = file }
}

final class SyncsNothing: OneFileBackend {
  static let description = describe("syncs-nothing", "renames a file that is nowhere but in the page cache")
  static let slip = Slip.syncsNothing
  let file: OneFile

  init(_ file: OneFile) { self.file = file }
}

final class SyncsWrongFile: OneFileBackend {
  static let description = describe("syncs-wrong-file", "syncs the file that is about to be replaced")
  static let slip = Slip.syncsWrongFile
  let file: OneFile

  init(_ file: OneFile) { self.file = file }
}

/// A backend whose new file has its name before its content, for a time.
final class RenamesFirst: OneFileBackend {
  static let description = describe("renames-first", "syncs its file when it has been renamed already")
  static let slip = Slip.renamesFirst
  let file: OneFile

  init(_ file: OneFile) { self.file = file }
}

final class LosesRenames: OneFileBackend {
  static let description = describe("loses-renames", "promises durable saves and does not sync the directory")
  static let slip = Slip.forgetsDirectory
  let file: OneFile

  init(_ file: OneFile) { self.file = file }
}

final class TearsHeader: OneFileBackend {
  static let description = describe("tears-header", "overwrites a header that is longer than a sector")
  static let slip = Slip.tearsHeader
  let file: OneFile

  init(_ file: OneFile) { self.file = file }
}
