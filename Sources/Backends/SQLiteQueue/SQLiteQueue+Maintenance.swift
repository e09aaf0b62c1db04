import Foundation
import GRDB
import StorageContract

extension SQLiteQueueBackend: Bulk {
  func importRecords(_ records: [StorageContract.Record], into collection: CollectionID) throws {
    guard !records.isEmpty else { return }
    try queue.write { db in try queue.tables.put(records, collection, db) }
  }

  func deleteRecords(_ predicate: RecordPredicate, in collection: CollectionID) throws -> Int {
    try queue.write { db in try queue.tables.delete(predicate, collection, db) }
  }
}

extension SQLiteQueueBackend: BackingUp {
  func backUp(to directory: String, isCompact: Bool, between saves: (() throws -> Void)?) throws {
    try queue.backUp(to: "\(directory)/\(QueueDatabase.file)", isCompact: isCompact)
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
    if case .drop(_, byRebuild: true) = change { try queue.rebuild(apply) } else { try queue.write(apply) }
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
    let column = try SQLiteAttribute(attribute, collection, of: queue.tables.schema)
    try queue.readOnce { db in
      let statement = try db.cachedStatement(sql: column.scan)
      let rows = try Row.fetchCursor(statement, arguments: [keys.lowerBound, keys.upperBound])
      while let row = try rows.next() {
        let record = try queue.tables.record(row)
        // GRDB's own conversion to String stops at the first NUL.
        let value = String(decoding: try row.decode(Data.self, atIndex: column.columnIndex), as: UTF8.self)
        guard try queue.lend({ try record.withView { try body($0, value) } }) else { return }
      }
    }
  }

  func set(_ attribute: AddedAttribute, to value: String, of key: Int64, in collection: CollectionID) throws -> Bool {
    let sql = try SQLiteAttribute(attribute, collection, of: queue.tables.schema).update
    return try queue.write { db in
      // The value is bound as bytes, because GRDB binds a text only up to its first NUL.
      try db.cachedStatement(sql: sql).execute(arguments: [key, Data(value.utf8)])
      return db.changesCount > 0
    }
  }
}
