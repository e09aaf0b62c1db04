import StorageContract

/// The content of a store at the start of a trial: the records of each collection, and the links between them.
///
/// A workload makes it from N records. The suite builds a store from it once in a run, copies that store for every
/// trial, and holds what a trial leaves against it, see ``Expectation``.
public struct Fixture: Sendable {
  /// The records of each collection, in the order of ``WorkloadDescription/collections``; the collection that keeps
  /// the links, which comes last, has none here.
  public let records: [any RecordSource]
  /// The relationships, or nil where nothing is linked.
  public let schema: RelationSchema?
  /// The links.
  public let links: [Link]

  /// Describes what a store holds.
  public init(_ records: [any RecordSource], schema: RelationSchema? = nil, links: [Link] = []) {
    self.records = records
    self.schema = schema
    self.links = links
  }

  /// Describes a store of one collection.
  public init(_ records: any RecordSource) { self.init([records]) }

  /// The changes that make the records of an empty store.
  public var changes: [Change] {
    records.enumerated().flatMap { index, source in source.all.map { .put($0, in: CollectionID(index)) } }
  }

  /// Puts everything into an open, empty store.
  ///
  /// - Throws: ``StoreError``.
  public func fill(_ store: any StorageBackend) throws {
    guard let schema else { return try store.commit(changes) }
    let relations = Capability.relational(of: store).value
    try relations.declare(schema)
    let puts = changes.map { RelationChange.put($0.record, in: $0.collection) }
    try relations.commit(puts + links.map { .link($0.source, to: $0.destination, by: $0.relationship) })
  }

  /// Builds a store that holds everything, in the environment's empty directory.
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
  /// By which relationship.
  public var relationship: RelationshipID
  /// The key where it starts.
  public var source: Int64
  /// The key where it ends.
  public var destination: Int64

  /// Links a source to a destination.
  public init(_ source: Int64, to destination: Int64, by relationship: RelationshipID) {
    self.relationship = relationship
    self.source = source
    self.destination = destination
  }

  /// The logical size of a link in bytes: its two keys.
  public static var logicalSize: Int { 16 }
}
