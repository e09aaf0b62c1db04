import Foundation

/// The tables, as Core Data lays them out.
struct SQLiteSchema {
  let model: ManagedObjectModel

  /// Makes every table of an empty database.
  var creation: [String] {
    [
      "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
      "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
      "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
    ] + model.entities.flatMap { table($0) + joinTables($0) + indexes($0) }
      + model.entities.map {
        "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (\($0.number), '\($0.name)', 0, 0)"
      }
  }

  /// The table of an entity.
  func table(_ entity: Entity, named name: String? = nil) -> [String] {
    let attributes = entity.attributes.map { "\($0.column) \($0.type.columnType)" }
    let toOnes = entity.columns[entity.attributes.count...].map { "\($0) INTEGER" }
    let columns = ["Z_PK INTEGER PRIMARY KEY", "Z_ENT INTEGER", "Z_OPT INTEGER"] + toOnes + attributes
    return ["CREATE TABLE \(name ?? entity.table) (\(columns.joined(separator: ", ")))"]
  }

  /// The tables of pairs that an entity's relationships write, each with an index for the other direction.
  func joinTables(_ entity: Entity) -> [String] {
    entity.relationships.flatMap { relationship -> [String] in
      guard case .joinTable(let name, let own, let other, writes: true) = relationship.storage else { return [] }
      return [
        "CREATE TABLE \(name) (\(own) INTEGER, \(other) INTEGER, PRIMARY KEY (\(own), \(other)))",
        "CREATE INDEX \(name)_\(other)_INDEX ON \(name) (\(other), \(own))",
      ]
    }
  }

  /// The indexes of to-one relationships, those that are declared, and those of uniqueness constraints.
  func indexes(_ entity: Entity) -> [String] {
    let upper = entity.table
    let toOnes = entity.columns[entity.attributes.count...].map {
      "CREATE INDEX \(upper)_\($0)_INDEX ON \(upper) (\($0))"
    }
    let declared = entity.description.indexes.map { names in
      let columns = names.map { "Z\($0.uppercased())" }
      return
        "CREATE INDEX Z_\(entity.name)_\(names.joined(separator: "_")) ON \(upper) (\(columns.joined(separator: ", ")))"
    }
    let unique = entity.constraints.map { places in
      let columns = places.map { entity.columns[$0] }
      return """
        CREATE UNIQUE INDEX Z_\(entity.name)_UNIQUE_\(columns.map { $0.dropFirst() }.joined(separator: "_")) \
        ON \(upper) (\(columns.joined(separator: ", ")))
        """
    }
    return toOnes + declared + unique
  }
}

/// What a store says about itself in Z_METADATA.
struct StoreMetadata {
  var identifier: UUID
  /// The hash of each entity's description.
  var versionHashes: [String: Data]

  /// The property list of Z_PLIST.
  func propertyList() throws -> [UInt8] {
    let list: [String: Any] = [
      "NSStoreType": "SQLite",
      "NSStoreModelVersionHashes": versionHashes,
      "NSStoreModelVersionHashesVersion": 3,
      "NSPersistenceFrameworkVersion": "ObjectGraph of storage-bench, not Core Data",
    ]
    return [UInt8](try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0))
  }

  init(identifier: UUID, model: ManagedObjectModel) {
    self.identifier = identifier
    versionHashes = model.versionHashes
  }

  init?(identifier: String, propertyList: [UInt8]) {
    guard let uuid = UUID(uuidString: identifier),
      let list = try? PropertyListSerialization.propertyList(from: Data(propertyList), format: nil) as? [String: Any],
      let hashes = list["NSStoreModelVersionHashes"] as? [String: Data]
    else { return nil }
    self.identifier = uuid
    versionHashes = hashes
  }
}
