/// A backend that forwards its calls to another backend. The conforming type may implement some calls itself.
/// Capabilities such as ``Querying`` are not forwarded.
public protocol ForwardingBackend: StorageBackend {
  /// The type of the backend to which this backend forwards its calls.
  static var inner: any StorageBackend.Type { get }
  /// The open backend to which this backend forwards its calls.
  var inner: any StorageBackend { get }
}

extension ForwardingBackend {
  public static var description: BackendDescription { inner.description }

  public static func promise(_ durability: Durability, _ options: Options) -> Promise {
    inner.promise(durability, options)
  }

  public static func writeFixture(_ records: [Record], in environment: StoreEnvironment) throws {
    try inner.writeFixture(records, in: environment)
  }

  public var settings: String { inner.settings }

  public func commit(_ changes: [Change]) throws { try inner.commit(changes) }

  public func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    try inner.read(key, in: collection, body)
  }

  public func scan(
    _ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool
  ) throws {
    try inner.scan(keys, in: collection, body)
  }

  public func count(in collection: CollectionID) throws -> Int { try inner.count(in: collection) }

  public func settle() throws { try inner.settle() }

  public func close() throws { try inner.close() }
}
