import StorageBackends
import StorageContract

/// A real store, the property list, behind a backend with one fault. It does everything that a conforming class does
/// not define.
protocol Wrapper: ForwardingBackend {
  init(_ inner: any StorageBackend)
}

extension Wrapper {
  /// The type of the real store.
  static var inner: any StorageBackend.Type {
    guard let type = Backends.all.first(where: { $0.description.id == "plist" }) else {
      fatalError("the property list is not among the backends")
    }
    return type
  }

  static func describe(_ id: String, _ summary: String) -> BackendDescription {
    let deviations = inner.description.deviations(Options())
    return BackendDescription(
      id: id, summary: summary, safety: "It misbehaves on purpose.", kind: { _ in .wholeFile },
      engineVersion: { "none" }, deviations: { _ in deviations })
  }

  static func promise(_ durability: Durability, _ options: Options) -> Promise {
    durability == .shipped ? .level(.fragile) : .unavailable("it is not to be trusted")
  }

  init(opening environment: StoreEnvironment) throws { self.init(try Self.inner.init(opening: environment)) }
}
