/// An entity of a model, whose declared names are resolved to attributes, relationships and columns.
///
/// A row has the values of the attributes in order, and then the keys of the destinations of to-one relationships.
public final class Entity: Sendable {
  /// The name of the entity in the model.
  public let name: String
  /// The number of the entity (Z_ENT): its position among the model's entities sorted by name, from 1.
  public let number: Int
  /// The attributes, in the order of their declaration.
  public let attributes: [Attribute]
  /// The relationships, in the order of their declaration.
  public let relationships: [Relationship]
  /// The fetched properties, in the order of their declaration.
  public let fetchedProperties: [FetchedPropertyDescription]
  /// The class of the entity's objects, if the app declares one.
  let ownClass: AnyClass?
  /// The declaration of the entity.
  public let description: EntityDescription

  let properties: [String: Property]
  let attributeTypes: [AttributeType]
  /// The initial values of a new object's attributes.
  let defaultValues: [Value]
  /// The to-one relationships, in the order of their keys in a row.
  let toOnes: [Relationship]
  /// The names of a row's columns: first the attributes, then the to-one relationships.
  let columns: [String]
  /// The uniqueness constraints. Each constraint is a list of indices of values in a row.
  let constraints: [[Int]]
  /// The attributes with rules that a save checks, by index. `isOnlyRequired`: the only rule is that a value is present.
  let validated: [(place: Int, isOnlyRequired: Bool)]
  /// The indices of the attributes whose values a SQLite store may keep in separate files.
  let externalPlaces: [Int]
  /// The name of the table, such as `ZSTUDENTS`.
  let table: String

  /// A property of the entity: its kind, and its index among the properties of this kind.
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
    name = description.name
    table = "Z\(description.name.uppercased())"
    ownClass = description.ownClass
    fetchedProperties = description.fetchedProperties
    attributeTypes = attributes.map(\.type)
    validated = attributes.filter(\.isValidated).map { ($0.index, $0.isOnlyRequired) }
    defaultValues = attributes.map(\.defaultValue)
    externalPlaces = attributes.filter(\.isExternal).map(\.index)
    toOnes = relationships.filter { !$0.isToMany }
    columns = attributes.map(\.column) + toOnes.map { "Z\($0.name.uppercased())" }
  }

  /// Returns the attribute with a name. Keep the result for frequent access.
  ///
  /// - Throws: ``ObjectGraphError/unknownKey(_:entity:)``.
  public func attribute(_ name: String) throws -> Attribute {
    guard case .attribute(let index) = properties[name] else {
      throw ObjectGraphError.unknownKey(name, entity: self.name)
    }
    return attributes[index]
  }

  /// Returns the relationship with a name.
  ///
  /// - Throws: ``ObjectGraphError/unknownKey(_:entity:)``.
  public func relationship(_ name: String) throws -> Relationship {
    guard case .relationship(let index) = properties[name] else {
      throw ObjectGraphError.unknownKey(name, entity: self.name)
    }
    return relationships[index]
  }
}

extension Entity: Equatable {
  public static func == (left: Entity, right: Entity) -> Bool { left === right }
}

/// An attribute of an entity of a model.
public final class Attribute: Sendable {
  /// The name of the attribute in the model.
  public let name: String
  /// The type of the attribute's values.
  public let type: AttributeType
  /// Whether the value may be absent in the store.
  public let isOptional: Bool
  /// The initial value of the attribute in a new object.
  public let defaultValue: Value
  /// The declaration from which the attribute was made.
  public let description: AttributeDescription
  /// The index of the attribute's value in a row.
  let index: Int
  let column: String
  /// Whether a SQLite store may keep a value of the attribute in a separate file.
  var isExternal: Bool { description.allowsExternalBinaryDataStorage }
  /// Whether a save checks values of the attribute: it is required, or has a range, a length or a pattern.
  let isValidated: Bool
  /// Whether the attribute is required and has no other rule, so that a save only checks that a value is present.
  let isOnlyRequired: Bool

  init(_ description: AttributeDescription, index: Int) {
    self.description = description
    self.index = index
    name = description.name
    type = description.type
    isOptional = description.isOptional
    defaultValue = description.defaultValue
    column = "Z\(description.name.uppercased())"
    let hasRules = description.range != nil || description.length != nil || description.pattern != nil
    isValidated = !isOptional || hasRules
    isOnlyRequired = !isOptional && !hasRules
  }
}

/// A relationship of an entity of a model.
public final class Relationship: Sendable {
  enum Storage: Sendable {
    /// A to-one relationship: the index of the destination's key in the object's row.
    case column(Int)
    /// A to-many relationship with a to-one inverse: the column of the destinations' table that has this object's key.
    case inverseColumn(String)
    /// The join table of a many-to-many relationship, with its columns for this entity's keys and the destination's
    /// keys. Of two inverse relationships, only the one whose `writes` is true changes the table. All processes choose
    /// the same one.
    case joinTable(String, own: String, other: String, writes: Bool)
  }

  /// The name of the relationship in the model.
  public let name: String
  /// Whether the relationship leads to any number of objects, instead of at most one.
  public let isToMany: Bool
  /// The treatment of the objects at the other end when an object is deleted.
  public let deleteRule: DeleteRule
  /// Whether the relationship may be empty.
  public let isOptional: Bool
  /// The declaration from which the relationship was made.
  public let description: RelationshipDescription
  /// The index of the relationship among the relationships of its entity.
  let index: Int
  /// The index of the destination entity in the model.
  let destination: Int
  /// The index of the inverse relationship among the relationships of the destination entity. Nil without an inverse.
  let inverse: Int?
  let storage: Storage

  init(_ description: RelationshipDescription, index: Int, destination: Int, inverse: Int?, storage: Storage) {
    self.description = description
    self.index = index
    self.destination = destination
    self.inverse = inverse
    self.storage = storage
    name = description.name
    isToMany = description.isToMany
    deleteRule = description.deleteRule
    isOptional = description.isOptional
  }
}
