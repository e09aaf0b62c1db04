/// The migration of the join tables.
///
/// A table that only changes its name, because entities have new numbers or something was renamed, is renamed. Pairs
/// that were stored in a column, or with the other entity first, are copied.
struct SQLiteJoinTableMigration {
  /// The creation of new tables under temporary names, before their sources are changed.
  private(set) var copies: [SQLiteStep] = []
  /// The old tables that are not needed any more.
  private(set) var dropped: [String] = []
  /// The old tables that stay under other names.
  private(set) var renamed: [(from: SQLiteJoinTable, to: SQLiteJoinTable)] = []
  /// The changes that give them temporary names, and their columns the new names.
  private(set) var alterations: [SQLiteStep] = []
  /// The renames from temporary to final names.
  private(set) var renames: [(from: String, to: String)] = []
  private(set) var indexes: [SQLiteIndex] = []

  init(_ mapping: MappingModel) {
    var unused = Set(mapping.source.entities.flatMap(SQLiteSchema.joinTables))
    for entity in mapping.destination.entities {
      for relationship in entity.relationships {
        guard case .joinTable(let name, let own, let other, writes: true) = relationship.storage else { continue }
        let table = SQLiteJoinTable(name: name, own: own, other: other)
        if let present = Self.present(relationship, in: entity, mapping), Self.canRename(present, to: table) {
          unused.remove(present)
          if present != table { rename(present, to: table) }
        } else {
          add(table, from: Self.pairs(of: relationship, in: entity, mapping))
        }
      }
    }
    dropped = unused.map(\.name).sorted()
  }

  private static func temporaryName(_ table: SQLiteJoinTable) -> String { SQLiteStep.temporaryName(table.name) }

  /// Returns the old table of a relationship that has this entity's keys first.
  private static func present(
    _ relationship: Relationship, in entity: Entity, _ mapping: MappingModel
  ) -> SQLiteJoinTable? {
    guard let old = mapping.source(of: relationship, in: entity),
      case .joinTable(let name, let own, let other, writes: true) = old.storage
    else { return nil }
    return SQLiteJoinTable(name: name, own: own, other: other)
  }

  /// Returns whether no column needs a name that the other column still has.
  private static func canRename(_ old: SQLiteJoinTable, to new: SQLiteJoinTable) -> Bool {
    new.own != old.other && new.other != old.own
  }

  /// Returns a query for the old pairs of a relationship. Nil if it is new.
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
    case .column(let place): (table, own, other) = (entity.table, "Z_PK", entity.columns[place])
    case .inverseColumn(let column): (table, own, other) = (model.destination(of: relationship).table, column, "Z_PK")
    case .joinTable(let name, let ownColumn, let otherColumn, _): (table, own, other) = (name, ownColumn, otherColumn)
    }
    let columns = isReversed ? "\(other), \(own)" : "\(own), \(other)"
    return "SELECT \(columns) FROM \(table) WHERE \(own) IS NOT NULL AND \(other) IS NOT NULL ORDER BY 1, 2"
  }

  private mutating func rename(_ old: SQLiteJoinTable, to new: SQLiteJoinTable) {
    let temporary = Self.temporaryName(new)
    for (from, to) in [(old.own, new.own), (old.other, new.other)] where from != to {
      alterations.append(SQLiteStep("ALTER TABLE \(old.name) RENAME COLUMN \(from) TO \(to)"))
    }
    alterations.append(SQLiteStep("ALTER TABLE \(old.name) RENAME TO \(temporary)"))
    renamed.append((old, new))
    renames.append((temporary, new.name))
    indexes.append(new.index)
  }

  private mutating func add(_ table: SQLiteJoinTable, from pairs: String?) {
    let temporary = Self.temporaryName(table)
    copies.append(SQLiteStep(table.creation(named: temporary)))
    if let pairs { copies.append(SQLiteStep("INSERT INTO \(temporary) (\(table.own), \(table.other)) \(pairs)")) }
    renames.append((temporary, table.name))
    indexes.append(table.index)
  }
}
