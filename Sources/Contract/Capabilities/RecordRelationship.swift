/// The rule for the records that are linked with a deleted record, as in Core Data.
public enum RecordDeleteRule: String, Sendable, CaseIterable {
  /// The rule that deletes the linked records, too, and applies their own delete rules.
  case cascade
  /// The rule that removes only the links. The linked records stay.
  case nullify
  /// The rule that forbids the deletion of a record with linked records, unless the same deletion also removes the
  /// linked records.
  case deny
  /// The rule that keeps the links, which then lead to no record. Only ``Relational/dangling(by:_:)`` finds such links.
  case noAction = "noaction"
}

/// The number of records with which a relationship may link one record.
public enum Cardinality: String, Sendable {
  /// At most one linked record. A new link replaces the old one.
  case one
  /// Any number of linked records.
  case many
}

/// A kind of link between records, such as between students and courses. Links can be followed in both directions.
public struct RecordRelationship: Hashable, Sendable {
  /// The relationship's name for messages and tables: letters, digits and `_`, as in `students_courses`.
  public var name: String
  /// The collection in which the relationship's links start.
  public var source: CollectionID
  /// The collection in which the relationship's links end.
  public var destination: CollectionID
  /// The number of destination records with which one source record may be linked.
  public var destinations: Cardinality
  /// The number of source records with which one destination record may be linked.
  public var sources: Cardinality
  /// The rule that is applied to destination records when their source record is deleted.
  public var deleteRule: RecordDeleteRule
  /// The rule that is applied to source records when their destination record is deleted.
  public var inverseDeleteRule: RecordDeleteRule

  /// Whether deleting a record may leave links that lead to no record.
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

/// The identity of a relationship between records: its index in ``RelationSchema/relationships``.
public struct RelationshipID: Hashable, Sendable {
  /// The index of the relationship in its schema, from 0.
  public let index: Int

  /// Creates the identity of the relationship with the given index, from 0, in the store's list of relationships.
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

/// The relationships of a store. A store must have the same relationships each time it is opened.
public struct RelationSchema: Sendable {
  /// The greatest number of relationships in a schema. The emulation of links stores a relationship's index in five
  /// bits.
  public static let limit = 32

  /// The relationships of the schema. A ``RelationshipID`` is an index in this array.
  public let relationships: [RecordRelationship]
  /// The collection in which a backend without native links stores all links, and which must contain nothing else.
  public let links: CollectionID

  /// Describes the relationships of a store. `links` is the collection for the links of a backend without native links.
  ///
  /// - Throws: ``UsageError`` for more than ``limit`` relationships, a wrong or repeated name, or a relationship that
  ///   starts or ends in the collection `links`.
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
        throw UsageError("relationship '\(relationship.name)' is declared twice; rename one of the two")
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

  /// A relationship as seen from one of its two collections.
  package struct End {
    package let id: RelationshipID
    package let direction: LinkDirection
    /// The collection at the other end, which has the linked records.
    package let other: CollectionID
    /// The rule that is applied to the linked records when the record at this end is deleted.
    package let rule: RecordDeleteRule
  }

  /// Returns one end for each relationship from or to the collection, and two ends for a relationship from the
  /// collection to itself.
  package func ends(of collection: CollectionID) -> [End] {
    relationships.enumerated().flatMap { index, relationship in
      let id = RelationshipID(index)
      var ends: [End] = []
      if relationship.source == collection {
        ends.append(End(id: id, direction: .forward, other: relationship.destination, rule: relationship.deleteRule))
      }
      if relationship.destination == collection {
        ends.append(End(id: id, direction: .inverse, other: relationship.source, rule: relationship.inverseDeleteRule))
      }
      return ends
    }
  }
}
