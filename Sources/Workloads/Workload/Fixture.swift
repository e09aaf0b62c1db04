import StorageContract

/// The initial content of a store: the records of each collection, and the links between the records.
public struct Fixture: Sendable {
  /// The initial records, one source for each collection. If the last collection stores only links, it has no source.
  public let records: [any RecordSource]
  /// The schema of the relationships between records, or nil if the store has no linked records.
  public let schema: RelationSchema?
  /// The links between the records.
  public let links: [Link]

  /// Creates the initial content of a store with one or more collections.
  public init(_ records: [any RecordSource], schema: RelationSchema? = nil, links: [Link] = []) {
    self.records = records
    self.schema = schema
    self.links = links
  }

  /// Creates the initial content of a store with one collection.
  public init(_ records: any RecordSource) { self.init([records]) }

  /// The insertions that put all records of the fixture into an empty store.
  public var changes: [Change] {
    records.enumerated().flatMap { index, source in source.all.map { .put($0, in: CollectionID(index)) } }
  }

  /// Puts all records and links of the fixture into an open, empty store.
  ///
  /// - Throws: ``StoreError``.
  public func fill(_ store: any StorageBackend) throws {
    guard let schema else { return try store.commit(changes) }
    let relations = Capability.relational(of: store).value
    try relations.declare(schema)
    let puts = changes.map { RelationChange.put($0.record, in: $0.collection) }
    try relations.commit(puts + links.map { .link($0.source, to: $0.destination, by: $0.relationship) })
  }

  /// Builds a store with all records and links of the fixture in the environment's empty directory.
  ///
  /// - Throws: ``StoreError``.
  public func write(with backend: any StorageBackend.Type, in environment: StoreEnvironment) throws {
    if records.count == 1, schema == nil { return try backend.writeFixture(records[0].all, in: environment) }
    let store = try backend.init(opening: environment)
    try fill(store)
    try store.settle()
    try store.close()
  }
}

/// A link between two records.
public struct Link: Hashable, Sendable {
  /// The relationship to which the link belongs, such as student to class.
  public var relationship: RelationshipID
  /// The key of the record at which the link starts.
  public var source: Int64
  /// The key of the record to which the link leads.
  public var destination: Int64

  /// Creates a link from a source record to a destination record.
  public init(_ source: Int64, to destination: Int64, by relationship: RelationshipID) {
    self.relationship = relationship
    self.source = source
    self.destination = destination
  }

  /// The size of a link in bytes, without the engine's overhead: the size of two keys.
  public static var logicalSize: Int { 16 }
}
