/// The treatment of linked records when a record is deleted, by Core Data's rules.
public enum RecordDeleteRule: String, Sendable, CaseIterable {
  /// Linked records are deleted, too. Their own delete rules then apply to the records linked with them.
  case cascade
  /// Linked records stay, without the link.
  case nullify
  /// Linked records prevent the deletion, except records that the deletion also removes.
  case deny
  /// Linked records stay, and so does their link, which then leads to no record. No other member than
  /// ``Relational/dangling(by:_:)`` finds such a link.
  case noAction = "noaction"
}

/// The number of records that one record may be linked with.
public enum Cardinality: String, Sendable {
  /// At most one linked record. A new link replaces the old one.
  case one
  /// Any number of linked records.
  case many
}

/// A kind of link between the records of two collections, or between records of one collection.
///
/// A relationship is described from its source and always has an inverse: a student has courses, and a course has
/// students.
public struct RecordRelationship: Hashable, Sendable {
  /// The relationship's name for messages and tables: letters, digits and `_`, as in `students_courses`.
  public var name: String
  /// The collection in which the relationship's links start.
  public var source: CollectionID
  /// The collection in which the relationship's links end.
  public var destination: CollectionID
  /// The number of destination records that a source record may have.
  public var destinations: Cardinality
  /// The number of source records that a destination record may have.
  public var sources: Cardinality
  /// The treatment of the destination records when their source record is deleted.
  public var deleteRule: RecordDeleteRule
  /// The treatment of the source records when their destination record is deleted.
  public var inverseDeleteRule: RecordDeleteRule

  /// Whether deleting a record at one end of the relationship may leave links that lead to no record.
  public var leavesLinks: Bool { deleteRule == .noAction || inverseDeleteRule == .noAction }

  /// Creates a relationship between collections, by default many-to-many with the delete rule `nullify`.
  public init(
    _ name: String, from source: CollectionID, to destination: CollectionID,
    destinations: Cardinality = .many, sources: Cardinality = .many,
    deleteRule: RecordDeleteRule = .nullify, inverseDeleteRule: RecordDeleteRule = .nullify
  ) {
    self.name = name
    self.source = source
    self.destination = destination
    self.destinations = destinations
    self.sources = sources
    self.deleteRule = deleteRule
    self.inverseDeleteRule = inverseDeleteRule
  }
}

/// The identity of a relationship (a kind of link between records): its index in ``RelationSchema/relationships``.
public struct RelationshipID: Hashable, Sendable {
  /// The index of the relationship in its schema, from 0.
  public let index: Int

  /// Identifies a relationship by its index, from 0, in the store's list of relationships.
  public init(_ index: Int) { self.index = index }
}

/// The direction in which the links of a relationship are followed.
public enum LinkDirection: Int, Sendable, CaseIterable {
  /// The direction from a source record to its destination records.
  case forward = 0
  /// The direction from a destination record to its source records.
  case inverse = 1

  /// The opposite direction along the same links.
  public var reversed: LinkDirection { self == .forward ? .inverse : .forward }
}

/// The relationships of a store. They must be the same each time the store is opened.
public struct RelationSchema: Sendable {
  /// The greatest number of relationships in a schema. The emulation of links has five bits for a relationship's index.
  public static let limit = 32

  /// The relationships of the schema. A ``RelationshipID`` is an index in this array.
  public let relationships: [RecordRelationship]
  /// The collection that holds only links, for a backend without native links.
  public let links: CollectionID

  /// Describes the relationships of a store and the collection for their links.
  ///
  /// - Throws: ``UsageError`` if there are more than ``limit`` relationships, or if the link collection is an end of a
  ///   relationship. Also if a name is empty, occurs twice or holds other characters than ASCII letters, digits and
  ///   `_`.
  public init(_ relationships: [RecordRelationship], links: CollectionID) throws {
    guard relationships.count <= Self.limit else {
      throw UsageError(
        "a schema holds at most \(Self.limit) relationships, but \(relationships.count) are declared; declare fewer")
    }
    var names: Set<String> = []
    for relationship in relationships {
      let isWord = relationship.name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
      guard !relationship.name.isEmpty, isWord else {
        throw UsageError("relationship '\(relationship.name)': a name is made of ASCII letters, digits and '_'")
      }
      guard names.insert(relationship.name).inserted else {
        throw UsageError("relationship '\(relationship.name)' is declared twice; give one another name")
      }
      guard relationship.source != links, relationship.destination != links else {
        throw UsageError(
          "relationship '\(relationship.name)' starts or ends in the collection '\(links)', which keeps the links; use another collection"
        )
      }
    }
    self.relationships = relationships
    self.links = links
  }
}
