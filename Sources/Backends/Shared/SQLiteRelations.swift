import StorageContract

/// The SQL for links between records: one table for each relationship, ordered by the source record, with an index by
/// destination.
struct SQLiteRelations: Sendable {
  /// The SQL queries and statements for the links of one relationship between records.
  struct Links: Sendable {
    let relationship: RecordRelationship
    /// Two queries for the keys of linked records: the first finds destinations, and the second sources.
    let keys: [String]
    /// Two queries for linked records: the first finds destinations, and the second sources.
    let walk: [String]
    /// Two queries for keys: the first finds sources whose destination was deleted, and the second destinations whose
    /// source was deleted.
    let dangling: [String]
    /// The query that checks whether both records of a link exist. The result is two numbers (0 or 1), for the source
    /// and for the destination.
    let ends: String
    let insert: String
    let delete: String
  }

  /// The SQL statements that delete the record with the key `?1`, in the order in which they run.
  struct Deletion: Sendable {
    /// The SQL statement that writes the keys of all records to delete into a temporary table: the key `?1`, and keys
    /// reached by cascading delete rules.
    let reach: String
    /// The SQL query for links that forbid a deletion, or nil if no delete rule forbids deletions. Columns:
    /// relationship index, record key, number of links.
    let denial: String?
    /// The SQL statements that delete records and their links. Links with the delete rule ``RecordDeleteRule/noAction``
    /// are kept.
    let removal: [String]
  }

  /// The SQL that creates missing link tables and their indexes, to be run in a transaction.
  let creation: String
  private let links: [Links]
  private let deletions: [Deletion]

  /// The statement that creates the temporary table for the keys of records to delete. Each connection has a separate
  /// table.
  static let notesCreation = """
    CREATE TEMP TABLE IF NOT EXISTS \(notes) (place INTEGER PRIMARY KEY, collection INTEGER NOT NULL, \
    record INTEGER NOT NULL, UNIQUE (collection, record))
    """
  private static let notes = #"temp."records to delete""#

  init(_ schema: RelationSchema, over records: SQLiteRecordSchema) throws {
    let ends = try Self.ends(schema, records)
    let taken = records.tables.map { $0.lowercased() }
    for end in ends where taken.contains("\"\(end.links.lowercased())\"") {
      throw StoreError.failed(
        "the links need a table named \(end.links), but a collection has that name; rename the collection")
    }
    let forward = ends.filter { $0.direction == .forward }
    creation = forward.map { Self.creation(schema.relationships[$0.index], $0.links) }.joined(separator: "\n")
    links = forward.map { Self.links(schema.relationships[$0.index], $0.links, records) }
    deletions = records.tables.indices.map { Self.deletion($0, ends, records) }
  }

  subscript(id: RelationshipID) -> Links {
    get throws {
      guard links.indices.contains(id.index) else { throw RelationError.undeclared(id) }
      return links[id.index]
    }
  }

  subscript(collection: CollectionID) -> Deletion {
    get throws { deletions[try collection.checked(deletions.count)] }
  }

  // MARK: - Ends

  /// One end of a relationship. In the link table, the column `near` has the key of the record at this end. The column
  /// `far` has the key of the linked record.
  private struct End {
    let index: Int
    let direction: LinkDirection
    let links: String
    let collection: Int
    let other: Int
    let rule: RecordDeleteRule

    var near: String { direction == .forward ? "source" : "destination" }
    var far: String { direction == .forward ? "destination" : "source" }
    var number: Int { index << 1 | direction.rawValue }
  }

  private static func ends(_ schema: RelationSchema, _ records: SQLiteRecordSchema) throws -> [End] {
    try schema.relationships.enumerated().flatMap { index, relationship in
      let source = try relationship.source.checked(records.tables.count)
      let destination = try relationship.destination.checked(records.tables.count)
      // The relationship's index is part of the table name, because SQLite ignores the case of names.
      let table = "links_\(index)_\(relationship.name)"
      return [
        End(
          index: index, direction: .forward, links: table, collection: source, other: destination,
          rule: relationship.deleteRule),
        End(
          index: index, direction: .inverse, links: table, collection: destination, other: source,
          rule: relationship.inverseDeleteRule),
      ]
    }
  }

  // MARK: - Links

  private static func creation(_ relationship: RecordRelationship, _ table: String) -> String {
    // A unique key makes a new link replace the old one. There are no foreign keys, because their delete rules would
    // also apply when a put replaces a row.
    let key = relationship.destinations == .one ? "source" : "source, destination"
    // An index of a table WITHOUT ROWID ends with the primary key's columns, so this index also contains the source.
    let index = relationship.sources == .one ? ("UNIQUE INDEX", "destination") : ("INDEX", "destination, source")
    return """
      CREATE TABLE IF NOT EXISTS \(table) \
      (source INTEGER NOT NULL, destination INTEGER NOT NULL, PRIMARY KEY (\(key))) WITHOUT ROWID;
      CREATE \(index.0) IF NOT EXISTS \(table)_inverse ON \(table) (\(index.1));
      """
  }

  private static func links(_ relationship: RecordRelationship, _ table: String, _ records: SQLiteRecordSchema) -> Links
  {
    let (source, destination) = (
      records.tables[relationship.source.index], records.tables[relationship.destination.index]
    )
    func exists(_ key: String, in table: String) -> String {
      "EXISTS (SELECT 1 FROM \(table) WHERE id = \(records.keys.value(of: key)))"
    }
    // Only the delete rule `noAction` can leave a link whose record is gone.
    let areThere =
      relationship.leavesLinks
      ? " AND \(exists("source", in: source)) AND \(exists("destination", in: destination))" : ""
    func walk(_ other: String, _ far: String, _ near: String) -> String {
      "SELECT \(records.keys.columns.names) FROM \(table) JOIN \(other) ON id = \(records.keys.value(of: far)) WHERE \(near) = ?1\(areThere) ORDER BY \(far)"
    }
    func dangling(_ own: String, _ near: String, _ other: String, _ far: String) -> String {
      """
      SELECT DISTINCT \(near) FROM \(table) WHERE \(exists(near, in: own)) AND NOT \(exists(far, in: other)) \
      ORDER BY \(near)
      """
    }
    return Links(
      relationship: relationship,
      keys: [
        "SELECT destination FROM \(table) WHERE source = ?1\(areThere) ORDER BY destination",
        "SELECT source FROM \(table) WHERE destination = ?1\(areThere) ORDER BY source",
      ],
      walk: [walk(destination, "destination", "source"), walk(source, "source", "destination")],
      dangling: [
        dangling(source, "source", destination, "destination"), dangling(destination, "destination", source, "source"),
      ],
      ends: "SELECT \(exists("?1", in: source)), \(exists("?2", in: destination))",
      insert: """
        INSERT OR REPLACE INTO \(table) SELECT ?1, ?2 \
        WHERE NOT EXISTS (SELECT 1 FROM \(table) WHERE source = ?1 AND destination = ?2)
        """,
      delete: "DELETE FROM \(table) WHERE source = ?1 AND destination = ?2")
  }

  // MARK: - Deletions

  private static func deletion(_ first: Int, _ ends: [End], _ records: SQLiteRecordSchema) -> Deletion {
    let collections = reach(of: first, ends)
    let concerned = ends.filter { collections.contains($0.collection) }
    // Records are reached breadth first, because the queue of a recursive query is first in, first out. CROSS JOIN
    // keeps the queue as the outer loop.
    let steps = concerned.filter { $0.rule == .cascade }.map { end in
      """
      UNION SELECT \(end.other), \(end.far) FROM reached CROSS JOIN \(end.links) ON \(end.near) = record \
      WHERE collection = \(end.collection)
      """
    }
    let denials = concerned.filter { $0.rule == .deny }.map { end in
      """
      SELECT place, \(end.number) AS side, record FROM \(notes) CROSS JOIN \(end.links) ON \(end.near) = record \
      WHERE collection = \(end.collection) AND NOT EXISTS \
      (SELECT 1 FROM \(notes) AS too WHERE too.collection = \(end.other) AND too.record = \(end.far))
      """
    }
    func noted(_ collection: Int, _ key: String = "record") -> String {
      "(SELECT \(key) FROM \(notes) WHERE collection = \(collection))"
    }
    return Deletion(
      reach: """
        INSERT INTO \(notes) (collection, record) WITH RECURSIVE reached (collection, record) AS \
        (SELECT \(first), \(records.keys.number) FROM \(records.tables[first]) \
        WHERE id = \(records.keys.value(of: "?1")) \(steps.joined(separator: " "))) \
        SELECT collection, record FROM reached
        """,
      denial: denials.isEmpty
        ? nil
        : """
        SELECT side >> 1, record, COUNT(*) FROM (\(denials.joined(separator: " UNION ALL "))) \
        GROUP BY place, side ORDER BY place, side LIMIT 1
        """,
      removal: concerned.filter { $0.rule != .noAction }.map {
        "DELETE FROM \($0.links) WHERE \($0.near) IN \(noted($0.collection))"
      }
        + collections.map {
          "DELETE FROM \(records.tables[$0]) WHERE id IN \(noted($0, records.keys.value(of: "record")))"
        }
        + ["DELETE FROM \(notes)"])
  }

  private static func reach(of first: Int, _ ends: [End]) -> [Int] {
    var reached = [first]
    var next = 0
    while next < reached.count {
      for end in ends where end.collection == reached[next] && end.rule == .cascade && !reached.contains(end.other) {
        reached.append(end.other)
      }
      next += 1
    }
    return reached
  }
}
