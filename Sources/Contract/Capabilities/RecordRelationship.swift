/// What becomes of the linked records when a record is deleted: Core Data's rules.
public enum RecordDeleteRule: String, Sendable, CaseIterable {
  /// They are deleted too, and so are theirs.
  case cascade
  /// They stay, without the link.
  case nullify
  /// They forbid it: nothing is deleted while there is one that would stay.
  case deny
}

/// How many records one record may be linked with.
public enum Cardinality: String, Sendable {
  /// At most one; a new link takes the place of the old one.
  case one
  /// Any number.
  case many
}

/// A kind of link between the records of two collections, or within one.
///
/// It is seen from its source, and always has an inverse: what a student's courses are to the student, the course's
/// students are to the course.
public struct RecordRelationship: Hashable, Sendable {
  /// What it is called, for messages and for tables: `students_courses`. Letters, digits and `_`.
  public var name: String
  /// Where its links start.
  public var source: CollectionID
  /// Where its links end.
  public var destination: CollectionID
  /// How many destinations a source has.
  public var destinations: Cardinality
  /// How many sources a destination has.
  public var sources: Cardinality
  /// What becomes of the destinations when their source is deleted.
  public var deleteRule: RecordDeleteRule
  /// What becomes of the sources when their destination is deleted.
  public var inverseDeleteRule: RecordDeleteRule

  /// Describes a relationship; many-to-many and nullify unless said otherwise.
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

/// Which of a schema's relationships: its place in ``RelationSchema/relationships``.
public struct RelationshipID: Hashable, Sendable {
  /// The place, from 0.
  public let index: Int

  /// Names a relationship by its place.
  public init(_ index: Int) { self.index = index }
}

/// From which end links are followed.
public enum LinkDirection: Int, Sendable, CaseIterable {
  /// From the source to its destinations.
  case forward = 0
  /// From the destination to its sources.
  case inverse = 1

  /// The other one.
  public var reversed: LinkDirection { self == .forward ? .inverse : .forward }
}

/// The relationships of a store, the same at every opening.
public struct RelationSchema: Sendable {
  /// How many relationships a schema holds at most; the emulation numbers them in the low bits of its keys.
  public static let limit = 32

  /// The relationships; their places are their identities.
  public let relationships: [RecordRelationship]
  /// The collection in which a backend without links of its own keeps them. Nothing else may be put there.
  public let links: CollectionID

  /// Describes the relationships of a store.
  ///
  /// - Throws: ``UsageError`` if there are more than ``limit``, if a name is empty, occurs twice or holds other
  ///   characters than ASCII letters, digits and `_`, or if the link collection is an end of a relationship.
  public init(_ relationships: [RecordRelationship], links: CollectionID) throws {
    guard relationships.count <= Self.limit else {
      throw UsageError("\(relationships.count) relationships: a schema holds at most \(Self.limit)")
    }
    var names: Set<String> = []
    for relationship in relationships {
      let isWord = relationship.name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
      guard !relationship.name.isEmpty, isWord else {
        throw UsageError(
          "relationship '\(relationship.name)': a name is made of ASCII letters, digits and '_'")
      }
      guard names.insert(relationship.name).inserted else {
        throw UsageError("relationship '\(relationship.name)' is declared twice; give one another name")
      }
      guard relationship.source != links, relationship.destination != links else {
        throw UsageError(
          "relationship '\(relationship.name)' starts or ends in the collection that keeps the links")
      }
    }
    self.relationships = relationships
    self.links = links
  }
}
