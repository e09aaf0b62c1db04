/// A store for many threads, made from a backend that can use only one. One thread runs all closures. Each call costs
/// two thread switches.
final class SharedStoreEmulation: SharedStore {
  private let owner: StoreThread<OneThreadStore>
  let settings: String

  init(opening environment: StoreEnvironment, as backend: any StorageBackend.Type) throws {
    owner = try StoreThread { OneThreadStore(try backend.init(opening: environment)) }
    settings = try owner.run { $0.settings }
  }

  deinit {
    // A handle that was dropped without being closed must still close its files. Errors have no receiver then.
    try? close()
  }

  func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result {
    try owner.run { try $0.read(body) }
  }

  func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    try owner.run { try $0.write(body) }
  }

  func settle() throws { try owner.run { try $0.settle() } }

  func close() throws { try owner.stop { try $0.close() } }
}
