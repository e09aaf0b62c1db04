/// The mapping from an old data model to a new one, inferred from names and former names. Data without a counterpart is
/// deleted.
struct MappingModel {
  let source: ManagedObjectModel
  let destination: ManagedObjectModel
  private(set) var entities: [EntityMapping]
  private let file: String

  struct EntityMapping {
    /// The entity of the old model that corresponds to ``destination``. Nil if the entity is new.
    let source: Entity?
    let destination: Entity
    /// For each attribute of the new entity ``destination``, the corresponding attribute of the old entity. Nil if the
    /// attribute is new.
    let attributes: [Attribute?]
    /// For each relationship of the new entity ``destination``, the corresponding relationship of the old entity. Nil
    /// if the relationship is new.
    var relationships: [Relationship?]

    /// The columns of the new table. `oldIndex` is the index of the column in the old table, or nil if new. `filling`
    /// replaces absent values.
    var columns: [(oldIndex: Int?, filling: Value)] {
      let attributes = zip(destination.attributes, attributes).map { attribute, old in
        let isFilled = old.map { $0.isOptional && !attribute.isOptional } ?? true
        return (oldIndex: old?.index, filling: isFilled ? attribute.defaultValue : .null)
      }
      let toOnes = destination.toOnes.map { relationship -> (oldIndex: Int?, filling: Value) in
        guard case .column(let oldIndex)? = relationships[relationship.index]?.storage else { return (nil, .null) }
        return (oldIndex, .null)
      }
      return attributes + toOnes
    }
  }

  /// A relationship of the old data model from which a migration copies links, and the relationship's entity. If
  /// `isReversed`, the two ends of each link are exchanged.
  typealias Counterpart = (relationship: Relationship, owner: Entity, isReversed: Bool)

  /// Infers which entities and properties of the two models correspond.
  ///
  /// - Throws: ``ObjectGraphError/cannotInferMapping(file:_:)`` if a property cannot be migrated.
  init(inferringFrom source: ManagedObjectModel, to destination: ManagedObjectModel, file: String) throws {
    self.source = source
    self.destination = destination
    self.file = file
    entities = zip(Entity.matches(source.entities, destination.entities), destination.entities).map { old, new in
      EntityMapping(
        source: old, destination: new, attributes: Attribute.matches(old?.attributes ?? [], new.attributes),
        relationships: Relationship.matches(old?.relationships ?? [], new.relationships))
    }
    inferRelationshipsFromInverses()
    for mapping in entities { try check(mapping) }
  }

  func source(of relationship: Relationship, in entity: Entity) -> Relationship? {
    entities[entity.number - 1].relationships[relationship.index]
  }

  func counterpart(of relationship: Relationship, in entity: Entity) -> Counterpart? {
    if let old = source(of: relationship, in: entity), let owner = entities[entity.number - 1].source {
      return (old, owner, isReversed: false)
    }
    let other = destination.destination(of: relationship)
    guard let inverse = destination.inverse(of: relationship), let old = source(of: inverse, in: other),
      let owner = entities[other.number - 1].source
    else { return nil }
    return (old, owner, isReversed: true)
  }

  /// Finds the old counterparts of new relationships by their inverse relationships. Relationships that already have a
  /// counterpart are skipped.
  private mutating func inferRelationshipsFromInverses() {
    for index in entities.indices {
      let mapping = entities[index]
      for relationship in mapping.destination.relationships where mapping.relationships[relationship.index] == nil {
        guard let old = counterpart(of: relationship, in: mapping.destination)?.relationship,
          let counterpart = source.inverse(of: old), source.destination(of: old) === mapping.source,
          !entities[index].relationships.contains(where: { $0 === counterpart })
        else { continue }
        entities[index].relationships[relationship.index] = counterpart
      }
    }
  }

  // MARK: - Limits of inference

  private func obstacle(_ text: String) -> ObjectGraphError { .cannotInferMapping(file: file, text) }

  private func check(_ mapping: EntityMapping) throws {
    // A new entity has no objects that could lack a value.
    guard let source = mapping.source else { return }
    for (attribute, old) in zip(mapping.destination.attributes, mapping.attributes) {
      let name = "\(mapping.destination.name).\(attribute.name)"
      if old == nil, case .relationship(let index) = source.properties[attribute.name],
        !mapping.relationships.contains(where: { $0 === source.relationships[index] })
      {
        throw obstacle("\(name) is a relationship in the store, and an attribute in the model")
      }
      try check(attribute, from: old, name)
    }
    for (relationship, old) in zip(mapping.destination.relationships, mapping.relationships) {
      let name = "\(mapping.destination.name).\(relationship.name)"
      if let old {
        try check(relationship, from: old, name)
      } else if case .attribute(let index) = source.properties[relationship.name],
        !mapping.attributes.contains(where: { $0 === source.attributes[index] })
      {
        throw obstacle("\(name) is an attribute in the store, and a relationship in the model")
      }
    }
  }

  private func check(_ attribute: Attribute, from old: Attribute?, _ name: String) throws {
    if let old, old.type != attribute.type {
      throw obstacle(
        "\(name) is of type \(old.type.rawValue) in the store, and \(attribute.type.rawValue) in the model")
    }
    if let old, old.isExternal != attribute.isExternal {
      throw obstacle(
        old.isExternal
          ? "the store allows separate files for \(name), but the model does not"
          : "the model allows separate files for \(name), but the store does not")
    }
    guard !attribute.isOptional, attribute.defaultValue.isNull, old?.isOptional ?? true else { return }
    throw obstacle(
      old == nil
        ? "\(name) is new and required, and has no default for the objects that are there"
        : "\(name) becomes required, and has no default for the objects without a value")
  }

  private func check(_ relationship: Relationship, from old: Relationship, _ name: String) throws {
    let leadsTo = destination.destination(of: relationship)
    let ledTo = source.destination(of: old)
    guard entities[leadsTo.number - 1].source === ledTo else {
      throw obstacle("\(name) leads to \(ledTo.name) in the store, and to \(leadsTo.name) in the model")
    }
    try require(
      relationship.isToMany || !old.isToMany, obstacle("\(name) is to-many in the store, and to-one in the model"))
    guard let inverse = destination.inverse(of: relationship) else { return }
    let oldOfInverse = source(of: inverse, in: leadsTo)
    if let inverseOfOld = source.inverse(of: old) {
      try require(
        inverseOfOld === oldOfInverse,
        obstacle("\(name) has the inverse \(inverseOfOld.name) in the store, and \(inverse.name) in the model"))
    } else if oldOfInverse != nil {
      throw obstacle("\(name) has no inverse in the store, and \(inverse.name) in the model")
    } else if !inverse.isToMany {
      throw obstacle(
        """
        \(leadsTo.name).\(inverse.name), the new inverse of \(name), is to-one, and several objects may lead to \
        the same one
        """)
    }
  }
}

/// An entity or property that a later model may declare under another name.
protocol Renamable {
  var name: String { get }
  var formerName: String? { get }
}

extension Renamable {
  /// Returns the old item that corresponds to each new item, or nil if there is none. Each old item is used at most
  /// once.
  static func matches(_ old: [Self], _ new: [Self]) -> [Self?] {
    let signs: [(Self, Self) -> Bool] = [
      // The item was renamed in an earlier version, and is unchanged since.
      { $1.formerName != nil && $0.name == $1.name && $0.formerName == $1.formerName },
      { $1.formerName == $0.name },
      // The item was renamed again, and its former name is still the first one.
      { $1.formerName != nil && $0.formerName == $1.formerName },
      { $0.name == $1.name },
      // The item has its first name again.
      { $0.formerName == $1.name },
    ]
    var matches = [Self?](repeating: nil, count: new.count)
    var left = old.map(Optional.some)
    for isSame in signs {
      for index in new.indices where matches[index] == nil {
        guard let found = left.firstIndex(where: { $0.map { isSame($0, new[index]) } ?? false }) else { continue }
        matches[index] = old[found]
        left[found] = nil
      }
    }
    return matches
  }
}

extension Entity: Renamable { var formerName: String? { description.renamingIdentifier } }
extension Attribute: Renamable { var formerName: String? { description.renamingIdentifier } }
extension Relationship: Renamable { var formerName: String? { description.renamingIdentifier } }
