import Foundation
import StorageContract

// Backends that claim to isolate two processes, and do not.

/// A backend that reads the file again before each change, and lets another process write it in between.
final class LosesOthers: Wrapper, Sharing {
  override class var summary: String { "says that no process undoes what another has saved" }

  static func openAmongProcesses(_ environment: StoreEnvironment, _ way: SharingWay) throws -> ProcessShare {
    let share = try Capability.emulatedSharing(opening: environment, as: Self.inner, way)
    return ProcessShare(share.store, losesNothing: true)
  }
}

/// A backend that excludes other processes during each change, and then shows what it read first.
final class RemembersOthers: Wrapper, Sharing {
  override class var summary: String { "shows what was there when it was opened" }

  static func openAmongProcesses(_ environment: StoreEnvironment, _ way: SharingWay) throws -> ProcessShare {
    let now = try Capability.emulatedSharing(opening: environment, as: Self.inner, .documented)
    let then = try Capability.emulatedSharing(opening: environment, as: Self.inner, .naive)
    let lock = try FileLock(at: environment.path("turns"))
    return ProcessShare(Remembering(now: now.store, then: then.store, lock: lock), losesNothing: true)
  }

  private final class Remembering: SharedStore, @unchecked Sendable {
    // Sendable in name only, because it stays on the thread that opened it.
    let now: any SharedStore
    let then: any SharedStore
    let lock: FileLock

    init(now: any SharedStore, then: any SharedStore, lock: FileLock) {
      (self.now, self.then, self.lock) = (now, then, lock)
    }

    var settings: String { now.settings }
    func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result { try then.read(body) }
    func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
      try lock.exclusively { try now.write(body) }
    }
    func settle() throws { try now.settle() }
    func close() throws {
      try now.close()
      try then.close()
    }
  }
}
