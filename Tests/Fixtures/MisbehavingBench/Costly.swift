import Foundation
import StorageContract

/// A backend with its original name and slightly more expensive saves: `COSTLY=sync` adds a sync, `COSTLY=write` a
/// write of 4 KiB, and any other value nothing.
///
/// With `COSTLY` in its environment, MisbehavingBench has every backend in this form, for the tests of the gates.
final class Costly<Inner: StorageBackend>: ForwardingBackend {
  static var inner: any StorageBackend.Type { Inner.self }
  let inner: any StorageBackend
  private let file: Int32

  init(opening environment: StoreEnvironment) throws {
    inner = try Inner(opening: environment)
    file = open(environment.path("extra"), O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
  }

  func commit(_ changes: [Change]) throws {
    try inner.commit(changes)
    switch ProcessInfo.processInfo.environment["COSTLY"] {
    case "sync": fsync(file)
    case "write": pwrite(file, [UInt8](repeating: 0, count: 4_096), 4_096, 0)
    default: break
    }
  }

  func close() throws {
    Foundation.close(file)
    try inner.close()
  }
}

func costly<Inner: StorageBackend>(_ type: Inner.Type) -> any StorageBackend.Type { Costly<Inner>.self }
