import StorageBackends
import StorageContract

/// A real store, the property list, behind a backend with one fault. A subclass overrides what it does wrong.
class Wrapper: ForwardingBackend {
  /// The summary of the backend. Its name is that of the class.
  class var summary: String { fatalError("a subclass has a summary") }

  class var description: BackendDescription {
    let deviations = inner.description.deviations(Options())
    return BackendDescription(
      id: hyphenatedName, summary: summary, safety: "It misbehaves on purpose.", kind: { _ in .wholeFile },
      engineVersion: { "none" }, deviations: { _ in deviations })
  }

  class func promise(_ durability: Durability, _ options: Options) -> Promise {
    durability == .shipped ? .level(.fragile) : .unavailable("it is not to be trusted")
  }

  /// The type of the real store.
  static var inner: any StorageBackend.Type {
    guard let type = Backends.all.first(where: { $0.description.id == "plist" }) else {
      fatalError("the property list is not among the backends")
    }
    return type
  }

  let inner: any StorageBackend

  init(_ inner: any StorageBackend) { self.inner = inner }

  required init(opening environment: StoreEnvironment) throws { inner = try Self.inner.init(opening: environment) }

  func commit(_ changes: [Change]) throws { try inner.commit(changes) }

  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    try inner.read(key, in: collection, body)
  }

  func scan(_ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {
    try inner.scan(keys, in: collection, body)
  }

  func close() throws { try inner.close() }
}

extension StorageBackend {
  /// The name of the class in lower case, with hyphens between its words.
  static var hyphenatedName: String {
    String("\(self)".flatMap { $0.isUppercase ? "-\($0.lowercased())" : "\($0)" }.dropFirst())
  }
}
