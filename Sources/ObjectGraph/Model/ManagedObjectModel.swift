/// A data model: the entities of a store, declared in code and checked as a whole.
///
///     let model = try ManagedObjectModel([students, classes])
public final class ManagedObjectModel: Sendable {
  /// The entities, sorted by name. The number of an entity in a store (Z_ENT) is its index in this array plus 1.
  public let entities: [Entity]
  private let entityIndices: [String: Int]

  /// Creates a model from declarations of entities.
  ///
  /// - Throws: ``ObjectGraphError/invalidModel(_:)`` if the declarations are inconsistent. The text names the entity
  ///   and the property.
  public init(_ descriptions: [EntityDescription]) throws {
    let sorted = descriptions.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    var entityIndices: [String: Int] = [:]
    var tables: Set<String> = []
    for (index, description) in sorted.enumerated() {
      try Self.check(name: description.name, "entity '\(description.name)'")
      // Tables have names in capitals, so the tables of two names that differ only in case would collide.
      try require(
        tables.insert(description.name.uppercased()).inserted,
        .invalidModel("entity '\(description.name)' is declared twice (upper and lower case are not distinguished)"))
      entityIndices[description.name] = index
    }
    let resolver = ModelResolver(descriptions: sorted, entityIndices: entityIndices)
    entities = try sorted.indices.map(resolver.entity)
    self.entityIndices = entityIndices
    for entity in entities {
      for property in entity.fetchedProperties { try property.check(of: entity, in: self) }
    }
  }

  /// Returns the entity with the given name.
  ///
  /// - Throws: ``ObjectGraphError/unknownEntity(_:)``.
  public func entity(_ name: String) throws -> Entity {
    guard let index = entityIndices[name] else { throw ObjectGraphError.unknownEntity(name) }
    return entities[index]
  }

  /// Returns the entity at the other end of a relationship.
  public func destination(of relationship: Relationship) -> Entity { entities[relationship.destination] }

  /// Returns the inverse of a relationship, which leads in the opposite direction, or nil if there is none.
  public func inverse(of relationship: Relationship) -> Relationship? {
    relationship.inverse.map { entities[relationship.destination].relationships[$0] }
  }

  /// Returns an object ID whose entity is replaced by this model's entity of the same name. An ID of an unknown entity
  /// is returned unchanged.
  func adopted(_ id: ManagedObjectID) -> ManagedObjectID {
    guard !owns(id.entity), let index = entityIndices[id.entity.name] else { return id }
    return ManagedObjectID(entity: entities[index], origin: id.origin, key: id.key)
  }

  func owns(_ entity: Entity) -> Bool { entity.number <= entities.count && entities[entity.number - 1] === entity }

  static func check(name: String, _ what: String) throws {
    let isWord = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    try require(
      isWord && name.first?.isLetter == true,
      .invalidModel("\(what): a name is made of ASCII letters, digits and '_', and starts with a letter"))
  }
}

/// A converter that checks the declarations of a data model and creates its entities, with resolved names and columns.
struct ModelResolver {
  let descriptions: [EntityDescription]
  let entityIndices: [String: Int]

  func entity(_ entityIndex: Int) throws -> Entity {
    let description = descriptions[entityIndex]
    let owner = description.name
    var properties: [String: Entity.Property] = [:]
    var columns: Set<String> = []
    func add(_ name: String, _ property: Entity.Property) throws {
      try ManagedObjectModel.check(name: name, "\(owner).\(name)")
      try require(
        columns.insert(name.uppercased()).inserted,
        .invalidModel("\(owner).\(name) is declared twice (upper and lower case are not distinguished)"))
      // Every table already has the columns Z_PK, Z_ENT and Z_OPT.
      guard !["_PK", "_ENT", "_OPT"].contains(name.uppercased()) else {
        throw ObjectGraphError.invalidModel("\(owner).\(name): the name is taken by the engine")
      }
      properties[name] = property
    }
    let attributes = try description.attributes.enumerated().map { index, attribute in
      try add(attribute.name, .attribute(index))
      guard let defaultValue = attribute.type.converted(attribute.defaultValue) else {
        throw ObjectGraphError.invalidModel(
          "\(owner).\(attribute.name): the default \(attribute.defaultValue) is not of type \(attribute.type)")
      }
      if attribute.allowsExternalBinaryDataStorage {
        guard attribute.type == .binary, attribute.defaultValue.isNull else {
          throw ObjectGraphError.invalidModel(
            "\(owner).\(attribute.name): only an attribute of type binary that has no default can be kept in separate "
              + "files")
        }
        guard !(description.uniquenessConstraints + description.indexes).joined().contains(attribute.name) else {
          throw ObjectGraphError.invalidModel(
            "\(owner).\(attribute.name) may be kept in a separate file, and cannot be in a constraint or index")
        }
      }
      if let pattern = attribute.pattern, (try? Regex(pattern)) == nil {
        throw ObjectGraphError.invalidModel("\(owner).\(attribute.name): '\(pattern)' is not a regular expression")
      }
      var attribute = attribute
      attribute.defaultValue = defaultValue
      return Attribute(attribute, index: index)
    }
    for (index, relationship) in description.relationships.enumerated() {
      try add(relationship.name, .relationship(index))
    }
    for (index, fetched) in description.fetchedProperties.enumerated() {
      try add(fetched.name, .fetched(index))
      guard entityIndices[fetched.destination] != nil else {
        throw ObjectGraphError.invalidModel("\(owner).\(fetched.name): there is no entity '\(fetched.destination)'")
      }
    }
    let relationships = try relationships(entityIndex, firstColumn: attributes.count)
    let constraints = try description.uniquenessConstraints.map { names in
      try require(!names.isEmpty, .invalidModel("\(owner): a uniqueness constraint without properties"))
      return try names.map { try column($0, properties, relationships, of: owner) }
    }
    for name in description.indexes.joined() { _ = try column(name, properties, relationships, of: owner) }
    return Entity(
      description: description, number: entityIndex + 1, attributes: attributes, relationships: relationships,
      properties: properties, constraints: constraints)
  }

  private func column(
    _ name: String, _ properties: [String: Entity.Property], _ relationships: [Relationship], of owner: String
  ) throws -> Int {
    switch properties[name] {
    case .attribute(let index): return index
    case .relationship(let index):
      if case .column(let columnIndex) = relationships[index].storage { return columnIndex }
    default: break
    }
    throw ObjectGraphError.invalidModel(
      "\(owner): '\(name)' in a constraint or index is neither an attribute nor a to-one relationship")
  }

  private func relationships(_ entityIndex: Int, firstColumn: Int) throws -> [Relationship] {
    var nextColumn = firstColumn
    let owner = descriptions[entityIndex]
    return try owner.relationships.enumerated().map { index, description in
      let name = "\(owner.name).\(description.name)"
      guard let destination = entityIndices[description.destination] else {
        throw ObjectGraphError.invalidModel("\(name): there is no entity '\(description.destination)'")
      }
      let inverse = try self.inverse(of: description, name: name, owner: owner.name)
      let storage: Relationship.Storage
      if !description.isToMany {
        storage = .column(nextColumn)
        nextColumn += 1
      } else if let inverse {
        let back = descriptions[destination].relationships[inverse]
        storage =
          back.isToMany
          ? joinTable((entityIndex, index, description.name), (destination, inverse, back.name))
          : .inverseColumn("Z\(back.name.uppercased())")
      } else {
        throw ObjectGraphError.invalidModel("\(name): a to-many relationship needs an inverse")
      }
      return Relationship(description, index: index, destination: destination, inverse: inverse, storage: storage)
    }
  }

  private func inverse(of description: RelationshipDescription, name: String, owner: String) throws -> Int? {
    guard let inverse = description.inverse, let destination = entityIndices[description.destination] else {
      return nil
    }
    let others = descriptions[destination].relationships
    guard let found = others.firstIndex(where: { $0.name == inverse }) else {
      throw ObjectGraphError.invalidModel(
        "\(name): there is no relationship '\(inverse)' in '\(description.destination)'")
    }
    try require(
      others[found].destination == owner && others[found].inverse == description.name,
      .invalidModel("\(name): its inverse \(description.destination).\(inverse) does not lead back to it"))
    if description.isToMany, description.destination == owner, inverse == description.name {
      throw ObjectGraphError.invalidModel("\(name): a to-many relationship cannot be its own inverse")
    }
    return found
  }

  private typealias End = (entity: Int, index: Int, name: String)

  /// Returns the join table, such as `Z_2COURSE_STUDENTS`, of the relationship `own` and its inverse `other`.
  private func joinTable(_ own: End, _ other: End) -> Relationship.Storage {
    let isFirst = own < other
    let first = isFirst ? own : other
    let table = Relationship.JoinTable(
      name: "Z_\(first.entity + 1)\(first.name.uppercased())", own: "Z_\(own.entity + 1)\(other.name.uppercased())",
      other: "Z_\(other.entity + 1)\(own.name.uppercased())")
    return .joinTable(table, writes: isFirst)
  }
}
