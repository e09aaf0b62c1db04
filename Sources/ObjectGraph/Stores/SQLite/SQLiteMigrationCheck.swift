/// The rules of a new model that only a scan of all existing objects can check.
struct SQLiteMigrationCheck {
  private let database: SQLiteDatabase
  private let mapping: MappingModel
  private let origin: StoreIdentifier

  init(_ database: SQLiteDatabase, _ mapping: MappingModel, _ origin: StoreIdentifier) {
    self.database = database
    self.mapping = mapping
    self.origin = origin
  }

  /// - Throws: ``ObjectGraphError/validation(_:)`` if objects lack a relationship that the new model requires.
  func checkRequiredRelationships() throws { try mapping.checkRequiredRelationships(origin, lacking: lacking) }

  private func lacking(_ relationship: Relationship, _ entity: Entity) throws -> [Int64] {
    let condition =
      switch relationship.storage {
      case .column(let place): "\(entity.columns[place]) IS NULL"
      case .inverseColumn(let column):
        "Z_PK NOT IN (SELECT \(column) FROM \(mapping.destination.destination(of: relationship).table) "
          + "WHERE \(column) IS NOT NULL)"
      case .joinTable(let name, let own, _, _): "Z_PK NOT IN (SELECT \(own) FROM \(name))"
      }
    return try database.integers(
      "SELECT Z_PK FROM \(entity.table) WHERE \(condition) ORDER BY Z_PK LIMIT \(MappingModel.greatestFailureCount)")
  }

  /// Returns the conflict of two objects that prevent the creation of a unique index.
  func conflict(_ index: SQLiteIndex) throws -> ObjectGraphError? {
    guard let entity = mapping.destination.entities.first(where: { $0.table == index.table }) else { return nil }
    let columns = index.columns.joined(separator: ", ")
    let isComplete = index.columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
    let isSame = index.columns.map { "b.\($0) = a.\($0)" }.joined(separator: " AND ")
    let keys = try database.integers(
      """
      SELECT b.Z_PK FROM (SELECT MIN(Z_PK), \(columns) FROM \(index.table) WHERE \(isComplete) \
      GROUP BY \(columns) HAVING COUNT(*) > 1 LIMIT 1) a JOIN \(index.table) b ON \(isSame) ORDER BY 1 LIMIT 2
      """)
    guard keys.count == 2 else { return nil }
    let places = entity.constraints.first { $0.map { entity.columns[$0] } == index.columns } ?? []
    let statement = try SQLiteStatement("SELECT \(columns) FROM \(index.table) WHERE Z_PK = \(keys[0])", database)
    guard try statement.step() else { return nil }
    let values = places.indices.map { statement.value(Int32($0)) }
    guard let key = IndexKey(values, Array(places.indices)) else { return nil }
    return .constraints([
      ConstraintConflict(
        constraint: places.map { entity.propertyName(at: $0) }, entity: entity.name,
        objectID: ManagedObjectID(entity: entity, origin: origin, key: keys[0]),
        others: [ManagedObjectID(entity: entity, origin: origin, key: keys[1])], values: key)
    ])
  }
}

extension SQLiteDatabase {
  /// Returns the first column of every row.
  fileprivate func integers(_ sql: String) throws -> [Int64] {
    let statement = try SQLiteStatement(sql, self)
    var numbers: [Int64] = []
    while try statement.step() { numbers.append(statement.integer(0)) }
    return numbers
  }
}
