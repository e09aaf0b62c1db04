/// The part of a SQLite store's migration that changes the table of one entity.
struct SQLiteTableMigration {
  let source: Entity
  let destination: Entity
  /// The names that the columns of the new table have in the old table. Nil for each new column.
  let origins: [String?]

  /// The columns of attributes that become required. The `value` is the default that replaces NULL in existing rows.
  private let fillings: [(column: String, value: Value)]

  init(_ mapping: MappingModel.EntityMapping, from source: Entity) {
    self.source = source
    destination = mapping.destination
    origins = mapping.columns.map { $0.oldIndex.map { source.columns[$0] } }
    fillings = zip(destination.columns, mapping.columns).compactMap { column, origin in
      origin.oldIndex == nil || origin.filling.isNull ? nil : (column, origin.filling)
    }
  }

  var temporaryName: String { SQLiteStep.temporaryName(destination.table) }

  private var dropped: [String] { source.columns.filter { !origins.contains($0) } }

  /// The columns to rename, in order. If a new name is also an old name, all renamed columns first get temporary names.
  private var renamed: [(from: String, to: String)] {
    let renamed = zip(origins, destination.columns).compactMap { from, to in from.map { (from: $0, to: to) } }
      .filter { $0.from != $0.to }
    guard renamed.contains(where: { name in renamed.contains { $0.from == name.to } }) else { return renamed }
    return renamed.map { ($0.from, SQLiteStep.temporaryName($0.to)) }
      + renamed.map { (SQLiteStep.temporaryName($0.to), $0.to) }
  }

  var isRenamed: Bool { source.table != destination.table }

  func keeps(_ index: SQLiteIndex) -> Bool {
    !isRenamed
      && index.columns.allSatisfy { column in
        zip(origins, destination.columns).contains { $0 == column && $1 == column }
      }
  }

  /// Returns the SQL steps that change the entity's table. If the table must be renamed, these steps give the table
  /// only a temporary name.
  func alter(in database: SQLiteDatabase) throws -> [SQLiteStep] {
    let table = source.table
    var steps = dropped.map { SQLiteStep("ALTER TABLE \(table) DROP COLUMN \($0)") }
    steps += renamed.map { SQLiteStep("ALTER TABLE \(table) RENAME COLUMN \($0.from) TO \($0.to)") }
    var fillings = fillings
    for (index, column) in destination.columns.enumerated() where origins[index] == nil {
      guard index < destination.attributes.count else {
        steps.append(SQLiteStep("ALTER TABLE \(table) ADD COLUMN \(column) INTEGER"))
        continue
      }
      let attribute = destination.attributes[index]
      let addition = "ALTER TABLE \(table) ADD COLUMN \(column) \(attribute.type.columnType)"
      if attribute.defaultValue.isNull {
        steps.append(SQLiteStep(addition))
      } else if let literal = attribute.defaultValue.literal,
        try database.value("SELECT \(literal)")?.isSame(as: attribute.defaultValue) == true
      {
        // SQLite reads the literal as exactly the default value. DEFAULT gives this value to existing rows without
        // writing them.
        steps.append(SQLiteStep("\(addition) DEFAULT \(literal)"))
      } else {
        steps.append(SQLiteStep(addition))
        fillings.append((column, attribute.defaultValue))
      }
    }
    if let update = update(fillings) { steps.append(update) }
    if isRenamed {
      steps.append(SQLiteStep("ALTER TABLE \(table) RENAME TO \(temporaryName)"))
    }
    return steps
  }

  private func update(_ fillings: [(column: String, value: Value)]) -> SQLiteStep? {
    var assignments = fillings.map { "\($0.column) = COALESCE(\($0.column), ?)" }
    var values = fillings.map(\.value)
    guard source.number == destination.number else {
      assignments.append("Z_ENT = ?")
      values.append(.integer(Int64(destination.number)))
      return SQLiteStep("UPDATE \(source.table) SET \(assignments.joined(separator: ", "))", values)
    }
    guard !fillings.isEmpty else { return nil }
    let condition = fillings.map { "\($0.column) IS NULL" }.joined(separator: " OR ")
    return SQLiteStep("UPDATE \(source.table) SET \(assignments.joined(separator: ", ")) WHERE \(condition)", values)
  }
}

/// One SQL statement of a store's migration, with the values to bind.
struct SQLiteStep {
  let sql: String
  let values: [Value]

  init(_ sql: String, _ values: [Value] = []) {
    self.sql = sql
    self.values = values
  }

  /// Returns the name that a new table has until the old tables are removed.
  static func temporaryName(_ table: String) -> String { "Z__NEW_\(table)" }
}

extension Value {
  var literal: String? {
    switch self {
    case .double(let number) where !number.isFinite: nil
    // SQLite would end the statement at a NUL.
    case .string(let text) where text.utf8.contains(0): nil
    case .binary(let bytes): "x'\(Value.hex(bytes))'"
    case .null, .integer, .double, .string: description
    }
  }
}
