/// The part of a SQLite store's migration that changes the table of one entity.
struct SQLiteTableMigration {
  let mapping: MappingModel.EntityMapping
  let source: Entity

  var destination: Entity { mapping.destination }

  /// The names that the columns of the new table have in the old table. Nil for each new column.
  private var origins: [String?] { mapping.columns.map { $0.oldIndex.map { source.columns[$0] } } }

  var isRenamed: Bool { source.table != destination.table }

  func keeps(_ index: SQLiteIndex) -> Bool {
    !isRenamed
      && index.columns.allSatisfy { column in
        zip(origins, destination.columns).contains { $0 == column && $1 == column }
      }
  }

  /// The columns to rename, in order. If a new name is also an old name, all renamed columns first get temporary names.
  private var renamed: [(from: String, to: String)] {
    let renamed = zip(origins, destination.columns).compactMap { from, to in from.map { (from: $0, to: to) } }
      .filter { $0.from != $0.to }
    guard renamed.contains(where: { name in renamed.contains { $0.from == name.to } }) else { return renamed }
    return renamed.map { ($0.from, SQLiteMigration.temporaryName($0.to)) }
      + renamed.map { (SQLiteMigration.temporaryName($0.to), $0.to) }
  }

  /// Changes the entity's table. If the table must be renamed, it gets only a temporary name.
  func alter(in database: SQLiteDatabase) throws {
    let change = "ALTER TABLE \(source.table)"
    for column in source.columns where !origins.contains(column) { try database.run("\(change) DROP COLUMN \(column)") }
    for name in renamed { try database.run("\(change) RENAME COLUMN \(name.from) TO \(name.to)") }
    let types = destination.attributes.map(\.type.columnType) + destination.toOnes.map { _ in "INTEGER" }
    // The columns of new and newly required attributes. The `value` is the default that replaces NULL in existing rows.
    var fillings: [(column: String, value: Value)] = []
    for (index, (oldIndex, filling)) in mapping.columns.enumerated() {
      let column = destination.columns[index]
      if oldIndex == nil {
        let addition = "\(change) ADD COLUMN \(column) \(types[index])"
        if let literal = filling.literal, try database.value("SELECT \(literal)")?.isSame(as: filling) == true {
          // SQLite reads the literal exactly. DEFAULT gives the value to existing rows without writing them.
          try database.run("\(addition) DEFAULT \(literal)")
          continue
        }
        try database.run(addition)
      }
      if !filling.isNull { fillings.append((column, filling)) }
    }
    try fill(fillings, in: database)
    if isRenamed { try database.run("\(change) RENAME TO \(SQLiteMigration.temporaryName(destination.table))") }
  }

  /// Replaces NULL in columns, and writes the entity's new number (Z_ENT) if it has changed.
  private func fill(_ fillings: [(column: String, value: Value)], in database: SQLiteDatabase) throws {
    var assignments = fillings.map { "\($0.column) = COALESCE(\($0.column), ?)" }
    var values = fillings.map(\.value)
    var condition = " WHERE " + fillings.map { "\($0.column) IS NULL" }.joined(separator: " OR ")
    if source.number != destination.number {
      assignments.append("Z_ENT = ?")
      values.append(.integer(Int64(destination.number)))
      condition = ""
    }
    guard !assignments.isEmpty else { return }
    try database.run("UPDATE \(source.table) SET \(assignments.joined(separator: ", "))\(condition)", values)
  }
}

extension Value {
  /// The SQL literal of a value. Nil for null, and for a value that no literal represents.
  fileprivate var literal: String? {
    switch self {
    case .null: nil
    case .double(let number) where !number.isFinite: nil
    // SQLite would end the statement at a NUL.
    case .string(let text) where text.utf8.contains(0): nil
    case .binary(let bytes): "x'\(Value.hex(bytes))'"
    case .integer, .double, .string: description
    }
  }
}
