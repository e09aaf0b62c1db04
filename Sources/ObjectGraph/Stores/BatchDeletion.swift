/// The effects of deleting many rows, according to the delete rules of the model.
struct BatchDeletion {
  private let engine: any StoreEngine
  private let model: ManagedObjectModel
  /// The primary keys of the rows to delete, for each entity of the model.
  private var leaving: [Set<Int64>]
  /// For each entity of the model, the rows that refer to deleted rows, by primary key. `values` has the new values,
  /// without these references.
  private var emptied: [[Int64: (old: Row, values: [Value])]]
  private var removedLinks: [StoreChanges.Link] = []
  private var denials: [(relationship: Relationship, entity: Entity, pairs: [(Int64, Int64)])] = []

  /// Finds the effects of deleting rows of one entity, without writing.
  ///
  /// - Throws: ``ObjectGraphError/validation(_:)`` if a delete rule or a required relationship prevents the deletion.
  init(_ keys: [Int64], of entity: Entity, in engine: any StoreEngine, _ model: ManagedObjectModel) throws {
    (self.engine, self.model) = (engine, model)
    leaving = Array(repeating: [], count: model.entities.count)
    emptied = Array(repeating: [:], count: model.entities.count)
    leaving[entity.number - 1] = Set(keys)
    var level = [(entity: entity, keys: keys)]
    while !level.isEmpty {
      var next = [Set<Int64>](repeating: [], count: model.entities.count)
      for (entity, keys) in level {
        for relationship in entity.relationships { try follow(relationship, of: keys, in: entity, &next) }
      }
      level = zip(model.entities, next).filter { !$0.1.isEmpty }.map { ($0, $1.sorted()) }
    }
    try check()
  }

  static func hasRules(_ entity: Entity) -> Bool { entity.relationships.contains { $0.deleteRule != .noAction } }

  var changes: StoreChanges {
    var changes = StoreChanges()
    for entity in model.entities {
      for key in leaving[entity.number - 1].sorted() { changes.deleted.append((id(key, entity), nil)) }
      for (key, row) in remaining(of: entity) {
        let columns = row.values.indices.filter { !row.values[$0].isSame(as: row.old[$0]) }
        let new = Row(version: row.old.version + 1, values: row.values)
        changes.updated.append(.init(id: id(key, entity), old: row.old, new: new, columns: columns))
      }
    }
    changes.removedLinks = removedLinks
    return changes
  }

  /// Returns the rows of an entity that lose references but stay in the store, sorted by primary key.
  private func remaining(of entity: Entity) -> [(key: Int64, value: (old: Row, values: [Value]))] {
    let leaving = leaving[entity.number - 1]
    return emptied[entity.number - 1].filter { !leaving.contains($0.key) }.sorted { $0.key < $1.key }
  }

  private func id(_ key: Int64, _ entity: Entity) -> ManagedObjectID {
    ManagedObjectID(entity: entity, origin: engine.identifier, key: key)
  }

  private mutating func follow(
    _ relationship: Relationship, of keys: [Int64], in entity: Entity, _ next: inout [Set<Int64>]
  ) throws {
    guard relationship.deleteRule != .noAction else { return }
    let inverse = model.inverse(of: relationship)
    // Without an inverse, no other object refers to the deleted one.
    if relationship.deleteRule == .nullify, inverse == nil { return }
    let pairs = try self.pairs(relationship, of: keys, in: entity)
    guard !pairs.isEmpty else { return }
    let destination = model.destination(of: relationship)
    let index = destination.number - 1
    switch relationship.deleteRule {
    case .noAction: return
    case .deny: denials.append((relationship, entity, pairs))
    case .cascade:
      for (_, key) in pairs where leaving[index].insert(key).inserted { next[index].insert(key) }
    case .nullify: try empty(inverse, of: pairs, destination)
    }
    if case .joinTable = relationship.storage {
      removedLinks += pairs.map { StoreChanges.Link(relationship: relationship, source: $0.0, destination: $0.1) }
    }
  }

  /// Returns the links of a relationship from the rows `keys`, as pairs of a source key and a destination key.
  private func pairs(_ relationship: Relationship, of keys: [Int64], in entity: Entity) throws -> [(Int64, Int64)] {
    let destination = model.destination(of: relationship)
    guard case .column(let index) = relationship.storage else {
      return try engine.transactionReader.destinations(relationship, of: keys, in: destination).map {
        ($0.source, $0.destination)
      }
    }
    let pairs: [(Int64, Int64)] = try engine.transactionReader.rows(keys, entity).compactMap { row in
      guard case .integer(let key) = row.row[index] else { return nil }
      return (row.key, key)
    }
    let there = Set(try engine.transactionReader.rows(Array(Set(pairs.map(\.1))), destination).map(\.key))
    return pairs.filter { there.contains($0.1) }
  }

  private mutating func empty(_ inverse: Relationship?, of pairs: [(Int64, Int64)], _ entity: Entity) throws {
    let number = entity.number - 1
    let unread = Set(pairs.map(\.1)).filter { emptied[number][$0] == nil }
    for found in try engine.transactionReader.rows(Array(unread), entity) {
      emptied[number][found.key] = (found.row, Array(found.row))
    }
    if case .column(let index)? = inverse?.storage {
      for (_, key) in pairs { emptied[number][key]?.values[index] = .null }
    }
  }

  private func check() throws {
    var failures: [ValidationFailure] = []
    for (relationship, entity, pairs) in denials {
      let destination = model.destination(of: relationship)
      let left = Dictionary(grouping: pairs.filter { !leaving[destination.number - 1].contains($0.1) }, by: \.0)
      failures += left.sorted { $0.key < $1.key }.map { key, pairs in
        ValidationFailure(
          objectID: id(key, entity), key: relationship.name,
          reason: "denies the deletion: \(pairs.count) \(destination.name) left")
      }
    }
    for entity in model.entities {
      for relationship in entity.toOnes where !relationship.isOptional {
        guard case .column(let index) = relationship.storage else { continue }
        for (key, row) in remaining(of: entity) where row.values[index].isNull && !row.old[index].isNull {
          failures.append(
            ValidationFailure(objectID: id(key, entity), key: relationship.name, reason: "must not be empty"))
        }
      }
    }
    guard failures.isEmpty else { throw ObjectGraphError.validation(failures) }
  }
}
