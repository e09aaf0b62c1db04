import Foundation
import GRDB
import StorageContract

extension SQLiteQueueBackend: Bulk {
  func importRecords(_ records: [StorageContract.Record], into collection: CollectionID) throws {
    guard !records.isEmpty else { return }
    try queue.write { db in
      for record in records { try queue.tables.put(record, collection, db) }
    }
  }

  func deleteRecords(_ predicate: RecordPredicate, in collection: CollectionID) throws -> Int {
    try queue.write { db in
      let (statement, arguments) = try queue.tables.statement(.deletion, predicate, collection, db)
      try statement.execute(arguments: arguments)
      return db.changesCount
    }
  }
}

extension SQLiteQueueBackend: BackingUp {
  func backUp(to directory: String, isCompact: Bool, between saves: (() throws -> Void)?) throws {
    let path = "\(directory)/\(QueueDatabase.file)"
    try queue.inBlock {
      if isCompact { return try queue.database.vacuum(into: path) }
      let copy = try DatabaseQueue(path: path)
      try queue.database.backup(to: copy)
      try copy.close()
    }
  }
}

extension SQLiteQueueBackend: Inspecting {
  func layout() throws -> StoreLayout { try StoreLayout(sqlite: queue.path) }
}

extension SQLiteQueueBackend: Migrating {
  static var rebuildsTables: Bool { true }

  func change(_ change: SchemaChange, in collection: CollectionID) throws {
    func apply(_ db: Database) throws {
      try queue.tables.schema.apply(
        change, in: collection, texts: { try String.fetchAll(db, sql: $0) }, run: { try db.execute(sql: $0) })
    }
    guard case .drop(_, byRebuild: true) = change else { return try queue.write(apply) }
    try queue.inBlock {
      try queue.database.writeWithoutTransaction { db in
        // With foreign keys on, dropping a table would delete rows of other tables.
        try db.execute(sql: "PRAGMA foreign_keys = OFF")
        defer { try? db.execute(sql: "PRAGMA foreign_keys = ON") }
        try db.inTransaction(.immediate) {
          try apply(db)
          return .commit
        }
      }
    }
  }

  func attributes(in collection: CollectionID) throws -> Set<String> {
    let schema = queue.tables.schema
    let sql = schema.attributeNames(try collection.checked(schema.tables.count))
    return Set(try queue.readOnce { db in try String.fetchAll(db, sql: sql) })
  }

  func scan(
    _ keys: ClosedRange<Int64>, with attribute: AddedAttribute, in collection: CollectionID,
    _ body: (RecordView, _ value: String) throws -> Bool
  ) throws {
    let schema = queue.tables.schema
    let sql = try schema.scan(with: attribute, in: collection)
    try queue.readOnce { db in
      let statement = try db.cachedStatement(sql: sql)
      let rows = try Row.fetchCursor(statement, arguments: [keys.lowerBound, keys.upperBound])
      while let row = try rows.next() {
        let record = try queue.tables.record(row)
        // GRDB's own conversion to String stops at the first NUL.
        let value = String(decoding: try row.decode(Data.self, atIndex: schema.keys.columns.count), as: UTF8.self)
        guard try queue.lend({ try record.withView { try body($0, value) } }) else { return }
      }
    }
  }

  func set(_ attribute: AddedAttribute, to value: String, of key: Int64, in collection: CollectionID) throws -> Bool {
    let sql = try queue.tables.schema.update(of: attribute, in: collection)
    return try queue.write { db in
      // The value is bound as bytes, because GRDB binds a text only up to its first NUL.
      try db.cachedStatement(sql: sql).execute(arguments: [key, Data(value.utf8)])
      return db.changesCount > 0
    }
  }
}
