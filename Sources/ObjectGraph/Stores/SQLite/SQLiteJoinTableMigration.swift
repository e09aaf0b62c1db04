/// The part of a SQLite store's migration that replaces join tables. New tables are filled from an old join table or
/// column.
struct SQLiteJoinTableMigration {
  /// The SQL steps that create and fill new join tables under temporary names, before the old tables are changed.
  private(set) var copies: [SQLiteStep] = []
  private(set) var dropped: [String] = []
  private(set) var renames: [(from: String, to: String)] = []
  private(set) var indexes: [SQLiteIndex] = []

  init(_ mapping: MappingModel) {
    var unused = Set(mapping.source.entities.flatMap(SQLiteSchema.joinTables))
    for entity in mapping.destination.entities {
      for relationship in entity.relationships {
        guard case .joinTable(let table, writes: true) = relationship.storage else { continue }
        if case .joinTable(table, writes: true)? = mapping.source(of: relationship, in: entity)?.storage {
          unused.remove(table)
        } else {
          let counterpart = mapping.counterpart(of: relationship, in: entity)
          add(table, from: counterpart.map { Self.selection($0, mapping.source) })
        }
      }
    }
    dropped = unused.map(\.name).sorted()
  }

  private static func selection(_ counterpart: MappingModel.Counterpart, _ model: ManagedObjectModel) -> String {
    let (relationship, entity) = (counterpart.relationship, counterpart.owner)
    let (table, own, other): (String, String, String)
    switch relationship.storage {
    case .column(let index): (table, own, other) = (entity.table, "Z_PK", entity.columns[index])
    case .inverseColumn(let column): (table, own, other) = (model.destination(of: relationship).table, column, "Z_PK")
    case .joinTable(let pairs, _): (table, own, other) = (pairs.name, pairs.own, pairs.other)
    }
    let columns = counterpart.isReversed ? "\(other), \(own)" : "\(own), \(other)"
    return "SELECT \(columns) FROM \(table) WHERE \(own) IS NOT NULL AND \(other) IS NOT NULL ORDER BY 1, 2"
  }

  private mutating func add(_ table: Relationship.JoinTable, from pairs: String?) {
    let temporary = SQLiteStep.temporaryName(table.name)
    copies.append(SQLiteStep(table.creation(named: temporary)))
    if let pairs { copies.append(SQLiteStep("INSERT INTO \(temporary) (\(table.own), \(table.other)) \(pairs)")) }
    renames.append((temporary, table.name))
    indexes.append(table.index)
  }
}
