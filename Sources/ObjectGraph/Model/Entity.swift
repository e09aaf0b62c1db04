/// An entity of a model, its names resolved: what objects, rows and SQL are made by.
///
/// A row holds the values of the attributes in order, and after them the keys that its to-one relationships point to.
public final class Entity: Sendable {
  /// The name that the model declares.
  public let name: String
  /// The entity's number, Z_ENT: its place among the model's entities in the order of their names, from 1.
  public let number: Int
  /// The attributes, in the order of their declaration.
  public let attributes: [Attribute]
  /// The relationships, in the order of their declaration.
  public let relationships: [Relationship]
  /// The fetched properties, in the order of their declaration.
  public let fetchedProperties: [FetchedPropertyDescription]
  /// The class of its objects if it is one of the app's own, which may do something when an object wakes up.
  let ownClass: AnyClass?
  /// The declaration that this was made from.
  public let description: EntityDescription

  let properties: [String: Property]
  /// The types of the attributes, by their places.
  let attributeTypes: [AttributeType]
  /// The initial values of a new object's attributes.
  let defaultValues: [Value]
  /// The to-one relationships, in the order of their places behind the attributes in a row.
  let toOnes: [Relationship]
  /// The names of a row's columns: the attributes' and then those of the to-one relationships.
  let columns: [String]
  /// The places in a row that make each uniqueness constraint.
  let constraints: [[Int]]
  /// The attributes of which anything but the type is checked before a save, by their places.
  let validated: [(place: Int, isOnlyRequired: Bool)]
  /// The places of the attributes that a SQLite store may keep in files of their own.
  let externalPlaces: [Int]
  /// The table's name: `ZSTUDENTS`.
  let table: String

  /// The property of a name.
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

  /// Returns the attribute of a name, to be kept by those who read it often.
  ///
  /// - Throws: ``ObjectGraphError/unknownKey(_:entity:)``.
  public func attribute(_ name: String) throws -> Attribute {
    guard case .attribute(let index) = properties[name] else {
      throw ObjectGraphError.unknownKey(name, entity: self.name)
    }
    return attributes[index]
  }

  /// Returns the relationship of a name.
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
  /// The name that the model declares.
  public let name: String
  /// The type of its values.
  public let type: AttributeType
  /// Whether the value may be absent in the store.
  public let isOptional: Bool
  /// The value in a new object.
  public let defaultValue: Value
  /// The declaration that this was made from.
  public let description: AttributeDescription
  /// Its place in a row.
  let index: Int
  let column: String
  /// Whether a SQLite store may keep a value in a separate file.
  var isExternal: Bool { description.allowsExternalBinaryDataStorage }
  /// Whether anything but the type is checked before a save.
  let isValidated: Bool
  /// Whether only the presence of a value is checked.
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
  /// The way a store keeps it.
  enum Storage: Sendable {
    /// As the other object's key, in this place of the row.
    case column(Int)
    /// In the inverse's column, in the rows of the other entity.
    case inverseColumn(String)
    /// In a table of pairs, with the column of this entity's keys and that of the other's. One of the two
    /// directions, the same in every process, writes it.
    case joinTable(String, own: String, other: String, writes: Bool)
  }

  /// The name that the model declares.
  public let name: String
  /// Whether it leads to any number of objects, or to one at most.
  public let isToMany: Bool
  /// The rule for the objects at the other end when an object is deleted.
  public let deleteRule: DeleteRule
  /// Whether there may be none at the other end.
  public let isOptional: Bool
  /// The declaration that this was made from.
  public let description: RelationshipDescription
  /// Its place among the entity's relationships.
  let index: Int
  /// The other entity's place in the model.
  let destination: Int
  /// The inverse's place among the relationships of the other entity.
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
