/// The tables and indexes of a SQLite store, in the layout of Core Data.
struct SQLiteSchema {
  let model: ManagedObjectModel
  private let indexes: [[SQLiteIndex]]

  init(model: ManagedObjectModel) {
    self.model = model
    let pairs = model.entities.flatMap(Self.joinTables)
    // If a table or another index already has the name of an index, ignoring case, the index gets a suffix such as
    // `_2`.
    let names = model.entities.map(\.table) + pairs.flatMap { [$0.name, $0.index.name] }
    var taken = Set(names.map { $0.uppercased() })
    indexes = model.entities.map { entity in
      Self.indexes(entity).map { index in
        var named = index
        var number = 2
        while !taken.insert(named.name.uppercased()).inserted {
          named.name = "\(index.name)_\(number)"
          number += 1
        }
        return named
      }
    }
  }

  var creation: [String] {
    [
      "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
      "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
      "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
    ] + model.entities.map(table)
      + model.entities.flatMap(Self.joinTables).flatMap { [$0.creation(named: $0.name), $0.index.creation] }
      + model.entities.flatMap(indexes).map(\.creation)
      + model.entities.map {
        "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (\($0.number), '\($0.name)', 0, 0)"
      }
  }

  func table(_ entity: Entity) -> String {
    let attributes = entity.attributes.map { "\($0.column) \($0.type.columnType)" }
    let toOnes = entity.columns[entity.attributes.count...].map { "\($0) INTEGER" }
    let columns = ["Z_PK INTEGER PRIMARY KEY", "Z_ENT INTEGER", "Z_OPT INTEGER"] + toOnes + attributes
    return "CREATE TABLE \(entity.table) (\(columns.joined(separator: ", ")))"
  }

  /// Returns the join tables to which an entity's relationships write. Of two inverse relationships, only one writes.
  static func joinTables(_ entity: Entity) -> [Relationship.JoinTable] {
    entity.relationships.compactMap { relationship in
      if case .joinTable(let table, writes: true) = relationship.storage { table } else { nil }
    }
  }

  func indexes(_ entity: Entity) -> [SQLiteIndex] { indexes[entity.number - 1] }

  private static func indexes(_ entity: Entity) -> [SQLiteIndex] {
    let toOnes = entity.columns[entity.attributes.count...].map {
      SQLiteIndex(name: "\(entity.table)_\($0)_INDEX", table: entity.table, columns: [$0])
    }
    let declared = entity.description.indexes.map { names in
      SQLiteIndex(
        name: "Z_\(entity.name)_\(names.joined(separator: "_"))", table: entity.table,
        columns: names.map { "Z\($0.uppercased())" })
    }
    let unique = entity.constraints.map { positions in
      let columns = positions.map { entity.columns[$0] }
      return SQLiteIndex(
        name: "Z_\(entity.name)_UNIQUE_\(columns.map { $0.dropFirst() }.joined(separator: "_"))", table: entity.table,
        columns: columns, isUnique: true)
    }
    return toOnes + declared + unique
  }
}

struct SQLiteIndex: Hashable {
  var name: String
  var table: String
  var columns: [String]
  var isUnique = false

  var creation: String {
    "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(name) ON \(table) (\(columns.joined(separator: ", ")))"
  }
}

extension Relationship.JoinTable {
  func creation(named name: String) -> String {
    "CREATE TABLE \(name) (\(own) INTEGER, \(other) INTEGER, PRIMARY KEY (\(own), \(other)))"
  }

  var insertion: String { "INSERT OR IGNORE INTO \(name) (\(own), \(other)) VALUES (?, ?)" }

  var deletion: String { "DELETE FROM \(name) WHERE \(own) = ? AND \(other) = ?" }

  var index: SQLiteIndex { SQLiteIndex(name: "\(name)_\(other)_INDEX", table: name, columns: [other, own]) }
}
