/// An emulation of sharing between processes, for an engine without support. Simultaneous changes of two processes can
/// be lost.
final class SharingEmulation: SharedStore, @unchecked Sendable {
  // The class is Sendable only formally: an instance stays on the thread that opened it.

  private let environment: StoreEnvironment
  private let backend: any StorageBackend.Type
  private var kept: OneThreadStore?
  let settings: String

  init(opening environment: StoreEnvironment, as backend: any StorageBackend.Type, _ way: SharingWay) throws {
    self.environment = environment
    self.backend = backend
    let store = try backend.init(opening: environment)
    settings = store.settings
    if way == .naive { kept = OneThreadStore(store) } else { try store.close() }
  }

  func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result {
    try withStore { try $0.read(body) }
  }

  func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    try withStore { try $0.write(body) }
  }

  private func withStore<Result>(_ body: (OneThreadStore) throws -> Result) throws -> Result {
    if let kept { return try body(kept) }
    let store = OneThreadStore(try backend.init(opening: environment))
    let result: Result
    do {
      result = try body(store)
    } catch {
      // The error of the block is more useful than an error of closing.
      try? store.close()
      throw error
    }
    try store.close()
    return result
  }

  func settle() throws { try kept?.settle() }

  func close() throws {
    try kept?.close()
    kept = nil
  }
}
