/// The effects of deleting many rows, according to the delete rules of the model.
struct BatchDeletion {
  private let engine: any StoreEngine
  private let model: ManagedObjectModel
  /// The primary keys of the rows to delete, by entity number.
  private var leaving: [Int: Set<Int64>] = [:]
  /// The rows that refer to deleted rows, by entity number and primary key. `values` has the new values, without the
  /// references.
  private var emptied: [Int: [Int64: (old: Row, values: [Value])]] = [:]
  private var removedLinks: [StoreChanges.Link] = []
  private var denials: [(relationship: Relationship, entity: Entity, pairs: [(Int64, Int64)])] = []

  /// Finds the effects of deleting rows of one entity, without writing.
  ///
  /// - Throws: ``ObjectGraphError/validation(_:)`` if a delete rule or a required relationship prevents the deletion.
  init(_ keys: [Int64], of entity: Entity, in engine: any StoreEngine, _ model: ManagedObjectModel) throws {
    (self.engine, self.model) = (engine, model)
    var level = [(entity: entity, keys: keys)]
    leaving[entity.number] = Set(keys)
    while !level.isEmpty {
      var next: [Int: Set<Int64>] = [:]
      for (entity, keys) in level {
        for relationship in entity.relationships { try follow(relationship, of: keys, in: entity, &next) }
      }
      level = next.sorted { $0.key < $1.key }.map { (model.entities[$0.key - 1], $0.value.sorted()) }
    }
    try check()
  }

  static func hasRules(_ entity: Entity) -> Bool { entity.relationships.contains { $0.deleteRule != .noAction } }

  var changes: StoreChanges {
    var changes = StoreChanges()
    for (number, keys) in leaving.sorted(by: { $0.key < $1.key }) {
      let entity = model.entities[number - 1]
      for key in keys.sorted() { changes.deleted.append((id(key, entity), nil)) }
    }
    for (number, rows) in emptied.sorted(by: { $0.key < $1.key }) {
      let entity = model.entities[number - 1]
      for (key, row) in rows.sorted(by: { $0.key < $1.key }) where leaving[number]?.contains(key) != true {
        let columns = row.values.indices.filter { !row.values[$0].isSame(as: row.old.values[$0]) }
        let new = Row(version: row.old.version + 1, values: row.values)
        changes.updated.append(.init(id: id(key, entity), old: row.old, new: new, columns: columns))
      }
    }
    changes.removedLinks = removedLinks
    return changes
  }

  private func id(_ key: Int64, _ entity: Entity) -> ManagedObjectID {
    ManagedObjectID(entity: entity, origin: engine.identifier, key: key)
  }

  private mutating func follow(
    _ relationship: Relationship, of keys: [Int64], in entity: Entity, _ next: inout [Int: Set<Int64>]
  ) throws {
    guard relationship.deleteRule != .noAction else { return }
    let inverse = model.inverse(of: relationship)
    // Without an inverse, no other object refers to the deleted one.
    if relationship.deleteRule == .nullify, inverse == nil { return }
    let pairs = try self.pairs(relationship, of: keys, in: entity)
    guard !pairs.isEmpty else { return }
    let destination = model.destination(of: relationship)
    switch relationship.deleteRule {
    case .noAction: return
    case .deny: denials.append((relationship, entity, pairs))
    case .cascade:
      for (_, key) in pairs where leaving[destination.number, default: []].insert(key).inserted {
        next[destination.number, default: []].insert(key)
      }
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
      guard case .integer(let key) = row.row.values[index] else { return nil }
      return (row.key, key)
    }
    let there = Set(try engine.transactionReader.rows(Array(Set(pairs.map(\.1))), destination).map(\.key))
    return pairs.filter { there.contains($0.1) }
  }

  private mutating func empty(_ inverse: Relationship?, of pairs: [(Int64, Int64)], _ entity: Entity) throws {
    var rows = emptied.removeValue(forKey: entity.number) ?? [:]
    let unread = Set(pairs.map(\.1)).filter { rows[$0] == nil }
    for found in try engine.transactionReader.rows(Array(unread), entity) {
      rows[found.key] = (found.row, Array(found.row.values))
    }
    if case .column(let index)? = inverse?.storage {
      for (_, key) in pairs { rows[key]?.values[index] = .null }
    }
    emptied[entity.number] = rows
  }

  private func check() throws {
    var failures: [ValidationFailure] = []
    for (relationship, entity, pairs) in denials {
      let destination = model.destination(of: relationship)
      let left = Dictionary(grouping: pairs.filter { leaving[destination.number]?.contains($0.1) != true }, by: \.0)
      for (key, pairs) in left.sorted(by: { $0.key < $1.key }) {
        failures.append(
          ValidationFailure(
            objectID: id(key, entity), entity: entity.name, key: relationship.name,
            reason: "denies the deletion: \(pairs.count) \(destination.name) left"))
      }
    }
    for (number, rows) in emptied.sorted(by: { $0.key < $1.key }) {
      let entity = model.entities[number - 1]
      for relationship in entity.toOnes where !relationship.isOptional {
        guard case .column(let index) = relationship.storage else { continue }
        for (key, row) in rows.sorted(by: { $0.key < $1.key }) where leaving[number]?.contains(key) != true {
          guard row.values[index].isNull, !row.old.values[index].isNull else { continue }
          failures.append(
            ValidationFailure(
              objectID: id(key, entity), entity: entity.name, key: relationship.name, reason: "must not be empty"))
        }
      }
    }
    guard failures.isEmpty else { throw ObjectGraphError.validation(failures) }
  }
}
