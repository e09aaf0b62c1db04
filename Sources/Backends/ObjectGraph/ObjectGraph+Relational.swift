import ObjectGraph
import StorageContract

/// Links between records, as relationships of the object graph. The managed object context updates both ends and
/// applies the delete rules.
extension ObjectGraphBackend: Relational {
  func declare(_ schema: RelationSchema) throws { try StoreError.translating { try graph.declare(schema) } }

  func commit(_ changes: [RelationChange]) throws {
    guard let schema = graph.relations else { throw StoreError.undeclaredRelationship }
    try saving { for change in changes { try apply(change, schema) } }
  }

  func keys(linkedWith key: Int64, by relationship: RelationshipID, _ direction: LinkDirection) throws -> [Int64] {
    let end = try end(relationship, direction)
    return try StoreError.translating { try linked(with: key, end).map(end.other.key) }
  }

  func walk(
    from key: Int64, by relationship: RelationshipID, _ direction: LinkDirection, _ body: (RecordView) throws -> Bool
  ) throws {
    let end = try end(relationship, direction)
    try end.other.pass(StoreError.translating { try linked(with: key, end) }, to: body)
  }

  func dangling(by relationship: RelationshipID, _ direction: LinkDirection) throws -> [Int64] {
    let end = try end(relationship, direction)
    return try StoreError.translating {
      try graph.context.fetch(end.own.request(.all)).filter { object in
        try end.destinations(of: object).contains { other in
          // Reading an object whose row is gone marks the object as deleted.
          _ = try end.other.key(other)
          return other.isDeleted
        }
      }.map(end.own.key)
    }
  }

  private func linked(with key: Int64, _ end: RelationEnd) throws -> [ManagedObject] {
    guard graph.page.fetch != .join else { return try end.linked(with: key, graph.context) }
    guard let object = try graph.object(key, end.own) else { return [] }
    let others = try end.others(of: object)
    for other in others { graph.page.keep(other.object, other.key, end.other) }
    return others.map(\.object)
  }

  func end(_ id: RelationshipID, _ direction: LinkDirection) throws -> RelationEnd {
    guard let schema = graph.relations, schema.relationships.indices.contains(id.index) else {
      throw RelationError.undeclared(id)
    }
    return try StoreError.translating { try graph.end(of: schema.relationships[id.index], direction) }
  }

  // MARK: - Changes

  private func apply(_ change: RelationChange, _ schema: RelationSchema) throws {
    switch change {
    case .put(let record, let collection): try graph.apply([.put(record, in: collection)])
    case .delete(let key, let collection): try delete(key, in: collection, schema)
    case .link(let source, let destination, let id):
      let end = try end(id, .forward)
      guard let object = try graph.object(source, end.own) else {
        throw RelationError.missing(key: source, collection: schema.relationships[id.index].source)
      }
      guard let other = try graph.object(destination, end.other) else {
        throw RelationError.missing(key: destination, collection: schema.relationships[id.index].destination)
      }
      if end.property.isToMany {
        try object.add(other, to: end.property)
      } else {
        try object.set(end.property, to: other)
      }
    case .unlink(let source, let destination, let id):
      let end = try end(id, .forward)
      guard let object = try graph.object(source, end.own), let other = try graph.object(destination, end.other)
      else { return }
      if end.property.isToMany {
        try object.remove(other, from: end.property)
      } else if try object.object(end.property) === other {
        try object.set(end.property, to: ManagedObject?.none)
      }
    }
  }

  private func delete(_ key: Int64, in collection: CollectionID, _ schema: RelationSchema) throws {
    guard let object = try graph.entity(collection).object(key, graph.context) else { return }
    let canBeDenied = schema.relationships.contains { $0.deleteRule == .deny || $0.inverseDeleteRule == .deny }
    // The context checks deny rules only at the save, when a later change may have removed the denying objects.
    if canBeDenied { try judge(object, in: collection, schema) }
    try graph.context.delete(object)
    // The next change must see the effect of the delete rules.
    try graph.context.processPendingChanges()
  }

  /// Throws ``RelationError/denied(relationship:key:remaining:)`` if a delete rule forbids the deletion of `first` or
  /// of an object in its cascade.
  private func judge(_ first: ManagedObject, in collection: CollectionID, _ schema: RelationSchema) throws {
    var doomed = [(object: first, collection: collection)]
    var isDoomed: Set = [first]
    var denials: [(relationship: String, key: Int64, others: [ManagedObject])] = []
    var next = 0
    while next < doomed.count {
      let (object, collection) = doomed[next]
      next += 1
      for side in schema.ends(of: collection) where side.rule == .deny || side.rule == .cascade {
        let relationship = schema.relationships[side.id.index]
        let end = try graph.end(of: relationship, side.direction)
        let others = try end.others(of: object).map(\.object)
        if side.rule == .deny {
          denials.append((relationship.name, try end.own.key(object), others))
        } else {
          doomed += others.filter { isDoomed.insert($0).inserted }.map { ($0, side.other) }
        }
      }
    }
    for denial in denials {
      let remaining = denial.others.count { !isDoomed.contains($0) }
      guard remaining == 0 else {
        throw RelationError.denied(relationship: denial.relationship, key: denial.key, remaining: remaining)
      }
    }
  }
}

struct RelationEnd {
  let own: RecordEntity
  let other: RecordEntity
  let property: Relationship
  let inverse: Relationship

  fileprivate func linked(with key: Int64, _ context: ManagedObjectContext) throws -> [ManagedObject] {
    let path = "\(inverse.name).id"
    let source = inverse.isToMany ? Property.any(path) : Property(path)
    return try context.fetch(
      FetchRequest(other.entity.name, where: source.compare(.equal, .value(.integer(key))), sortedBy: [SortKey("id")]))
  }

  fileprivate func destinations(of object: ManagedObject) throws -> Set<ManagedObject> {
    property.isToMany ? try object.objects(property) : Set([try object.object(property)].compactMap(\.self))
  }

  fileprivate func others(of object: ManagedObject) throws -> [(key: Int64, object: ManagedObject)] {
    let others = try destinations(of: object).map { (key: try other.key($0), object: $0) }
    let leavesLinks = property.deleteRule == .noAction || inverse.deleteRule == .noAction
    return (leavesLinks ? others.filter { !$0.object.isDeleted } : others).sorted { $0.key < $1.key }
  }
}

// MARK: - The model

extension RecordGraph {
  func declare(_ schema: RelationSchema) throws {
    let old = descriptions
    var new = old
    for relationship in schema.relationships {
      let source = try relationship.source.checked(new.count)
      let destination = try relationship.destination.checked(new.count)
      for direction in LinkDirection.allCases {
        let (own, other) = direction == .forward ? (source, destination) : (destination, source)
        let end = Self.description(of: relationship, direction, to: new[other].name)
        if let index = new[own].relationships.firstIndex(where: { $0.name == end.name }) {
          new[own].relationships[index] = end
        } else {
          new[own].relationships.append(end)
        }
      }
    }
    if old.map(\.relationships) != new.map(\.relationships) { try migrate(to: new) }
    relations = schema
  }

  fileprivate func end(of relationship: RecordRelationship, _ direction: LinkDirection) throws -> RelationEnd {
    let ends = (try entity(relationship.source), try entity(relationship.destination))
    let (own, other) = direction == .forward ? ends : (ends.1, ends.0)
    return RelationEnd(
      own: own, other: other, property: try own.entity.relationship(Self.name(of: relationship, direction)),
      inverse: try other.entity.relationship(Self.name(of: relationship, direction.reversed)))
  }

  private static func description(
    of relationship: RecordRelationship, _ direction: LinkDirection, to destination: String
  ) -> RelationshipDescription {
    let isForward = direction == .forward
    let rule: DeleteRule =
      switch isForward ? relationship.deleteRule : relationship.inverseDeleteRule {
      case .cascade: .cascade
      case .nullify: .nullify
      case .deny: .deny
      case .noAction: .noAction
      }
    var description = RelationshipDescription(
      name(of: relationship, direction), to: destination, inverse: name(of: relationship, direction.reversed),
      deleteRule: rule)
    description.isToMany = (isForward ? relationship.destinations : relationship.sources) == .many
    return description
  }

  private static func name(of relationship: RecordRelationship, _ direction: LinkDirection) -> String {
    (direction == .forward ? "to_" : "from_") + relationship.name
  }
}
