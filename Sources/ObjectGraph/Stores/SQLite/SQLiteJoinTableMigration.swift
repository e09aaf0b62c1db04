/// The part of a SQLite store's migration that replaces join tables, which store many-to-many relationships. The new
/// table gets its rows from the old join table, or from a column that stored the relationship before.
struct SQLiteJoinTableMigration {
  /// The SQL steps that create and fill the new join tables, under temporary names. These steps must run before the old
  /// tables are changed.
  private(set) var copies: [SQLiteStep] = []
  private(set) var dropped: [String] = []
  private(set) var renames: [(from: String, to: String)] = []
  private(set) var indexes: [SQLiteIndex] = []

  init(_ mapping: MappingModel) {
    var unused = Set(mapping.source.entities.flatMap(SQLiteSchema.joinTables))
    for entity in mapping.destination.entities {
      for relationship in entity.relationships {
        guard case .joinTable(let name, let own, let other, writes: true) = relationship.storage else { continue }
        let table = SQLiteJoinTable(name: name, own: own, other: other)
        if Self.present(relationship, in: entity, mapping) == table {
          unused.remove(table)
        } else {
          add(table, from: Self.pairs(of: relationship, in: entity, mapping))
        }
      }
    }
    dropped = unused.map(\.name).sorted()
  }

  /// Returns the join table to which a many-to-many relationship writes in the old data model, before the migration. Of
  /// two inverse relationships, only one writes to their common join table. Nil if the old model has no such
  /// relationship, or if the inverse relationship is the one that writes in the old model.
  private static func present(
    _ relationship: Relationship, in entity: Entity, _ mapping: MappingModel
  ) -> SQLiteJoinTable? {
    guard let old = mapping.source(of: relationship, in: entity),
      case .joinTable(let name, let own, let other, writes: true) = old.storage
    else { return nil }
    return SQLiteJoinTable(name: name, own: own, other: other)
  }

  private static func pairs(of relationship: Relationship, in entity: Entity, _ mapping: MappingModel) -> String? {
    if let old = mapping.source(of: relationship, in: entity), let owner = mapping.entities[entity.number - 1].source {
      return selection(old, of: owner, mapping.source, isReversed: false)
    }
    let destination = mapping.destination.destination(of: relationship)
    guard let inverse = mapping.destination.inverse(of: relationship),
      let old = mapping.source(of: inverse, in: destination),
      let owner = mapping.entities[destination.number - 1].source
    else { return nil }
    return selection(old, of: owner, mapping.source, isReversed: true)
  }

  private static func selection(
    _ relationship: Relationship, of entity: Entity, _ model: ManagedObjectModel, isReversed: Bool
  ) -> String {
    let (table, own, other): (String, String, String)
    switch relationship.storage {
    case .column(let index): (table, own, other) = (entity.table, "Z_PK", entity.columns[index])
    case .inverseColumn(let column): (table, own, other) = (model.destination(of: relationship).table, column, "Z_PK")
    case .joinTable(let name, let ownColumn, let otherColumn, _): (table, own, other) = (name, ownColumn, otherColumn)
    }
    let columns = isReversed ? "\(other), \(own)" : "\(own), \(other)"
    return "SELECT \(columns) FROM \(table) WHERE \(own) IS NOT NULL AND \(other) IS NOT NULL ORDER BY 1, 2"
  }

  private mutating func add(_ table: SQLiteJoinTable, from pairs: String?) {
    let temporary = SQLiteStep.temporaryName(table.name)
    copies.append(SQLiteStep(table.creation(named: temporary)))
    if let pairs { copies.append(SQLiteStep("INSERT INTO \(temporary) (\(table.own), \(table.other)) \(pairs)")) }
    renames.append((temporary, table.name))
    indexes.append(table.index)
  }
}
