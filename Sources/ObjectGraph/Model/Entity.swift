/// An entity of a data model, such as `Students`. A database has a table for each entity.
public final class Entity: Sendable {
  /// The name of the entity in the model.
  public var name: String { description.name }
  /// The number of the entity in a store (Z_ENT), counted from 1 in the order of the entities' names.
  public let number: Int
  /// The attributes, in the order of their declaration.
  public let attributes: [Attribute]
  /// The relationships, in the order of their declaration.
  public let relationships: [Relationship]
  /// The fetched properties, whose values are the results of fetch requests, in the order of their declaration.
  public var fetchedProperties: [FetchedPropertyDescription] { description.fetchedProperties }
  /// The declaration from which the entity was made.
  public let description: EntityDescription

  let properties: [String: Property]
  let attributeTypes: [AttributeType]
  let defaultValues: [Value]
  let toOnes: [Relationship]
  /// The SQL columns that store a row's values: first those of the attributes, then those of the to-one relationships.
  let columns: [String]
  /// The uniqueness constraints, each a list of indices of row values. Two rows must differ in at least one of these
  /// values.
  let constraints: [[Int]]
  /// The indices of the attributes that a save checks. If `isOnlyRequired` is true, the save only checks that a value
  /// is present.
  let validated: [(index: Int, isOnlyRequired: Bool)]
  /// The indices of the attributes whose long values a SQLite store keeps in separate files.
  let externalIndices: [Int]
  let table: String
  /// The SQL that inserts a row with its key, its entity number, its version and its values.
  let insertion: String

  /// The kind of a property, and its index among the entity's properties of this kind.
  enum Property: Sendable {
    case attribute(Int)
    case relationship(Int)
    case fetched(Int)
  }

  init(
    description: EntityDescription, number: Int, attributes: [Attribute], relationships: [Relationship],
    properties: [String: Property], constraints: [[Int]]
  ) {
    self.description = description
    self.number = number
    self.attributes = attributes
    self.relationships = relationships
    self.properties = properties
    self.constraints = constraints
    table = "Z\(description.name.uppercased())"
    attributeTypes = attributes.map(\.type)
    validated = attributes.filter { !$0.isOptional || $0.hasRules }.map { ($0.index, !$0.hasRules) }
    defaultValues = attributes.map(\.defaultValue)
    externalIndices = attributes.filter(\.isExternal).map(\.index)
    toOnes = relationships.filter { !$0.isToMany }
    columns = attributes.map(\.column) + toOnes.map { "Z\($0.name.uppercased())" }
    let names = (["Z_PK", "Z_ENT", "Z_OPT"] + columns).joined(separator: ", ")
    let marks = Array(repeating: "?", count: columns.count + 3).joined(separator: ", ")
    insertion = "INSERT INTO \(table) (\(names)) VALUES (\(marks))"
  }

  /// Returns the attribute with the given name. Callers should keep the attribute for repeated use, as the search takes
  /// time.
  ///
  /// - Throws: ``ObjectGraphError/unknownKey(_:entity:)`` if the entity has no attribute of this name.
  public func attribute(_ name: String) throws -> Attribute {
    guard case .attribute(let index) = properties[name] else { throw unknown(name) }
    return attributes[index]
  }

  /// Returns the relationship with the given name.
  ///
  /// - Throws: ``ObjectGraphError/unknownKey(_:entity:)`` if the entity has no relationship of this name.
  public func relationship(_ name: String) throws -> Relationship {
    guard case .relationship(let index) = properties[name] else { throw unknown(name) }
    return relationships[index]
  }

  func unknown(_ key: String) -> ObjectGraphError { .unknownKey(key, entity: name) }

  /// Returns the error for a value that the attribute with the given index cannot store.
  func wrongType(_ index: Int, found: String) -> ObjectGraphError {
    .wrongType(key: attributes[index].name, entity: name, expected: attributeTypes[index].rawValue, found: found)
  }
}

/// An attribute of an entity in a data model: a named value of each object, stored in a column of a table.
public final class Attribute: Sendable {
  /// The name of the attribute in the model.
  public var name: String { description.name }
  /// The type of the attribute's values.
  public var type: AttributeType { description.type }
  /// Whether a stored object may lack a value of the attribute.
  public var isOptional: Bool { description.isOptional }
  /// The initial value of the attribute in a new object.
  public var defaultValue: Value { description.defaultValue }
  /// The declaration from which the attribute was made.
  public let description: AttributeDescription
  /// The index of the attribute's value in a row.
  let index: Int
  let column: String
  var isExternal: Bool { description.allowsExternalBinaryDataStorage }
  fileprivate var hasRules: Bool { description.range != nil || description.length != nil || description.pattern != nil }

  init(_ description: AttributeDescription, index: Int) {
    self.description = description
    self.index = index
    column = "Z\(description.name.uppercased())"
  }
}

/// A relationship of an entity in a data model: a named reference from each object of the entity to other objects.
public final class Relationship: Sendable {
  enum Storage: Sendable {
    /// A to-one relationship. The object's row contains the key of the related object, at the given index.
    case column(Int)
    /// A to-many relationship whose inverse is to-one. The text is the name of the column that stores the inverse.
    case inverseColumn(String)
    /// A many-to-many relationship in a join table. Of two inverse relationships, only the one with `writes` changes
    /// the table.
    case joinTable(JoinTable, writes: Bool)
  }

  /// A join table with two keys per row: `own` is the column of the object with the relationship, `other` that of the
  /// related object.
  struct JoinTable: Hashable {
    let name: String
    let own: String
    let other: String
  }

  /// The name of the relationship in the model.
  public var name: String { description.name }
  /// Whether the relationship may lead to several objects. If false, it leads to at most one object.
  public var isToMany: Bool { description.isToMany }
  /// The rule for the related objects when an object is deleted, such as `cascade`.
  public var deleteRule: DeleteRule { description.deleteRule }
  /// Whether the relationship may be empty.
  public var isOptional: Bool { description.isOptional }
  /// The declaration from which the relationship was made.
  public let description: RelationshipDescription
  let index: Int
  /// The index of the entity to which the relationship leads, in the model's list of entities.
  let destination: Int
  /// The index of the inverse relationship among the relationships of the destination entity. Nil if there is none.
  let inverse: Int?
  let storage: Storage

  init(_ description: RelationshipDescription, index: Int, destination: Int, inverse: Int?, storage: Storage) {
    self.description = description
    self.index = index
    self.destination = destination
    self.inverse = inverse
    self.storage = storage
  }
}
