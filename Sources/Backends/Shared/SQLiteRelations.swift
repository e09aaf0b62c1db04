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
    let taken = records.tables.map { $0.lowercased() }
    let pairs = try schema.relationships.enumerated().map { index, relationship in
      for end in [relationship.source, relationship.destination] { _ = try end.checked(records.tables.count) }
      return LinkDirection.allCases.map { End(index: index, relationship: relationship, direction: $0) }
    }
    for end in pairs.map({ $0[0] }) where taken.contains("\"\(end.links.lowercased())\"") {
      throw StoreError.failed(
        "the links need a table named \(end.links), but a collection has that name; rename the collection")
    }
    creation = pairs.map { Self.creation($0[0].relationship, $0[0].links) }.joined(separator: "\n")
    links = pairs.map { Self.links($0, records) }
    deletions = records.tables.indices.map { Self.deletion($0, pairs.flatMap { $0 }, records) }
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
    let relationship: RecordRelationship
    let direction: LinkDirection

    private var isSource: Bool { direction == .forward }
    /// The name of the link table. It contains the relationship's index, because SQLite ignores the case of names.
    var links: String { "links_\(index)_\(relationship.name)" }
    var collection: Int { (isSource ? relationship.source : relationship.destination).index }
    var other: Int { (isSource ? relationship.destination : relationship.source).index }
    var rule: RecordDeleteRule { isSource ? relationship.deleteRule : relationship.inverseDeleteRule }
    var near: String { isSource ? "source" : "destination" }
    var far: String { isSource ? "destination" : "source" }
    var number: Int { index << 1 | direction.rawValue }
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

  /// Returns the SQL for the links of one relationship. `ends` contains its source end and its destination end.
  private static func links(_ ends: [End], _ records: SQLiteRecordSchema) -> Links {
    let (relationship, table) = (ends[0].relationship, ends[0].links)
    func exists(_ key: String, in collection: Int) -> String {
      "EXISTS (SELECT 1 FROM \(records.tables[collection]) WHERE id = \(records.keys.value(of: key)))"
    }
    // Only the delete rule `noAction` can leave a link whose record is gone.
    let areThere = relationship.leavesLinks ? ends.map { " AND \(exists($0.near, in: $0.collection))" }.joined() : ""
    return Links(
      relationship: relationship,
      keys: ends.map { "SELECT \($0.far) FROM \(table) WHERE \($0.near) = ?1\(areThere) ORDER BY \($0.far)" },
      walk: ends.map { end in
        """
        SELECT \(records.keys.columns.names) FROM \(table) \
        JOIN \(records.tables[end.other]) ON id = \(records.keys.value(of: end.far)) \
        WHERE \(end.near) = ?1\(areThere) ORDER BY \(end.far)
        """
      },
      dangling: ends.map { end in
        """
        SELECT DISTINCT \(end.near) FROM \(table) \
        WHERE \(exists(end.near, in: end.collection)) AND NOT \(exists(end.far, in: end.other)) ORDER BY \(end.near)
        """
      },
      ends: "SELECT \(exists("?1", in: ends[0].collection)), \(exists("?2", in: ends[1].collection))",
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

/// An open transaction on an SQLite connection, for changing records and their links.
protocol SQLiteRelationSession {
  func apply(_ change: Change) throws
  /// Runs an SQL statement with `keys` as its parameters `?1` and `?2`. Returns the number of inserted or deleted rows.
  func execute(_ sql: String, _ keys: Int64...) throws -> Int
  func row(_ sql: String, _ keys: Int64...) throws -> [Int64]?
}

extension SQLiteRelationSession {
  /// Applies changes of records and of links, in order. After an error, the caller must roll back the transaction.
  func apply(_ changes: [RelationChange], to relations: SQLiteRelations) throws {
    for change in changes {
      switch change {
      case .put(let record, let collection): try apply(.put(record, in: collection))
      case .delete(let key, let collection): try delete(key, relations[collection], relations)
      case .link(let source, let destination, let id): try link(source, destination, relations[id])
      case .unlink(let source, let destination, let id):
        _ = try execute(relations[id].delete, source, destination)
      }
    }
  }

  private func link(_ source: Int64, _ destination: Int64, _ links: SQLiteRelations.Links) throws {
    let isThere = try row(links.ends, source, destination) ?? [0, 0]
    let relationship = links.relationship
    guard isThere[0] == 1 else { throw RelationError.missing(key: source, collection: relationship.source) }
    guard isThere[1] == 1 else { throw RelationError.missing(key: destination, collection: relationship.destination) }
    _ = try execute(links.insert, source, destination)
  }

  private func delete(_ key: Int64, _ deletion: SQLiteRelations.Deletion, _ relations: SQLiteRelations) throws {
    guard try execute(deletion.reach, key) > 0 else { return }
    if let denial = deletion.denial, let found = try row(denial) {
      let relationship = try relations[RelationshipID(Int(found[0]))].relationship
      throw RelationError.denied(relationship: relationship.name, key: found[1], remaining: Int(found[2]))
    }
    for statement in deletion.removal { _ = try execute(statement) }
  }
}

extension SQLiteRelations? {
  func declared() throws -> SQLiteRelations {
    guard let self else { throw StoreError.undeclaredRelationship }
    return self
  }

  func links(of id: RelationshipID) throws -> SQLiteRelations.Links {
    guard let self else { throw RelationError.undeclared(id) }
    return try self[id]
  }
}
