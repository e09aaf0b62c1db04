import StorageContract

/// A query or deletion in one collection, as SQL. Values are bound to placeholders, so queries that differ only in
/// values share a statement.
struct SQLiteQuery {
  enum Subject: UInt8 {
    case records, count, groupCounts, scores, groupScores, deletion
  }

  /// The properties of a query that determine its SQL, without the values.
  struct Shape: Hashable {
    let collection: Int
    let codes: [UInt8]
  }

  enum Value {
    case text(String)
    case number(Double)
    case integer(Int)
  }

  let subject: Subject
  let collection: Int
  let query: RecordQuery

  init(_ subject: Subject, _ predicate: RecordPredicate, in collection: Int) {
    (self.subject, self.collection, query) = (subject, collection, RecordQuery(predicate))
  }

  init(_ query: RecordQuery, in collection: Int) {
    (subject, self.collection, self.query) = (.records, collection, query)
  }

  private var isLimited: Bool { query.limit != nil || query.offset > 0 }

  // MARK: - Shape

  var shape: Shape {
    var codes: [UInt8] = []
    codes.reserveCapacity(16)
    codes.append(subject.rawValue << 1 | (isLimited ? 1 : 0))
    for step in query.order { codes.append(Self.code(step)) }
    Self.add(query.predicate, to: &codes)
    return Shape(collection: collection, codes: codes)
  }

  private static func code(_ step: RecordOrder) -> UInt8 {
    let field: UInt8 =
      switch step.field {
      case .key: 0
      case .name: 1
      case .group: 2
      case .score: 3
      case .modified: 4
      }
    return 128 | field << 1 | (step.isDescending ? 1 : 0)
  }

  private static func add(_ predicate: RecordPredicate, to codes: inout [UInt8]) {
    switch predicate {
    case .everything: codes.append(0)
    case .name(let text): codes.append(hasNUL(text) ? 2 : 1)
    case .namePrefix(let text):
      // If no text follows all texts with the prefix, the SQL has only a lower bound.
      codes.append((hasNUL(text) ? 5 : 3) + (successor(of: text) == nil ? 0 : 1))
    case .after(let name, _): codes.append(hasNUL(name) ? 15 : 14)
    case .group(let text): codes.append(hasNUL(text) ? 8 : 7)
    case .score: codes.append(9)
    case .and(let parts): add(parts, 10, to: &codes)
    case .or(let parts): add(parts, 11, to: &codes)
    case .not(let part):
      codes.append(12)
      add(part, to: &codes)
    }
  }

  private static func add(_ parts: [RecordPredicate], _ code: UInt8, to codes: inout [UInt8]) {
    codes.append(code)
    for part in parts { add(part, to: &codes) }
    codes.append(13)
  }

  // MARK: - Text

  func sql(_ table: String, _ keys: SQLiteKeys) -> String {
    let columns = keys.columns
    var sql = (subject == .deletion ? "DELETE" : "SELECT \(self.columns(columns))") + " FROM \(table)"
    if case .everything = query.predicate {
    } else {
      sql += " WHERE " + columns.sql(Self.condition(query.predicate, keys))
    }
    switch subject {
    case .records: sql += " ORDER BY " + columns.sql(order(keys))
    case .groupCounts, .groupScores: sql += columns.sql(#" GROUP BY "group" ORDER BY "group""#)
    case .count, .scores, .deletion: break
    }
    return isLimited ? sql + " LIMIT ? OFFSET ?" : sql
  }

  private func columns(_ columns: SQLiteColumns) -> String {
    // Unlike SUM, TOTAL is 0 without scores, and large whole numbers cause no overflow error.
    let scores = "COUNT(score), TOTAL(score), MIN(score), MAX(score)"
    return switch subject {
    case .records: columns.names
    case .count: "COUNT(*)"
    case .groupCounts: columns.sql(#""group", COUNT(*)"#)
    case .scores: columns.sql(scores)
    case .groupScores: columns.sql(#""group", \#(scores)"#)
    case .deletion: ""
    }
  }

  /// Returns the sort order of the query as SQL.
  private func order(_ keys: SQLiteKeys) -> String {
    // A NaN is stored as NULL, which SQLite sorts before every number, as a query must sort NaN.
    let steps = query.order.map {
      ($0.field == .key ? keys.number : $0.field.column) + ($0.isDescending ? " DESC" : "")
    }
    return (query.order.contains { $0.field == .key } ? steps : steps + [keys.number]).joined(separator: ", ")
  }

  private static func condition(_ predicate: RecordPredicate, _ keys: SQLiteKeys) -> String {
    switch predicate {
    case .everything: "1"
    case .name(let text): "name = \(placeholder(text))"
    case .namePrefix(let text):
      // An index range is used, because LIKE ignores case and GLOB has wildcards.
      "name >= \(placeholder(text))" + (successor(of: text) == nil ? "" : " AND name < \(placeholder(text))")
    case .after(let name, _): "(name, \(keys.number)) > (\(placeholder(name)), ?)"
    case .group(let text): #""group" = \#(placeholder(text))"#
    case .score: "score BETWEEN ? AND ?"
    case .and(let parts): parts.isEmpty ? "1" : joined(parts, " AND ", keys)
    case .or(let parts): parts.isEmpty ? "0" : joined(parts, " OR ", keys)
    // A NULL score is in no range, so the negation must match it.
    case .not(let part): "NOT IFNULL((\(condition(part, keys))), 0)"
    }
  }

  private static func joined(_ parts: [RecordPredicate], _ word: String, _ keys: SQLiteKeys) -> String {
    parts.map { "(\(condition($0, keys)))" }.joined(separator: word)
  }

  private static func placeholder(_ text: String) -> String { hasNUL(text) ? "CAST(? AS TEXT)" : "?" }

  // MARK: - Values

  func forEachValue(_ body: (Value) throws -> Void) rethrows {
    try Self.forEachValue(of: query.predicate, body)
    guard isLimited else { return }
    // In SQLite, a negative limit means no limit.
    try body(.integer(query.limit ?? -1))
    try body(.integer(query.offset))
  }

  private static func forEachValue(of predicate: RecordPredicate, _ body: (Value) throws -> Void) rethrows {
    switch predicate {
    case .everything: break
    case .name(let text), .group(let text): try body(.text(text))
    case .namePrefix(let text):
      try body(.text(text))
      if let successor = successor(of: text) { try body(.text(successor)) }
    case .after(let name, let key):
      try body(.text(name))
      try body(.integer(Int(key)))
    case .score(let range):
      try body(.number(range.lowerBound))
      try body(.number(range.upperBound))
    case .and(let parts), .or(let parts): for part in parts { try forEachValue(of: part, body) }
    case .not(let part): try forEachValue(of: part, body)
    }
  }

  private static func hasNUL(_ text: String) -> Bool { text.utf8.contains(0) }

  /// Returns the first text after all texts with a prefix, in UTF-8 byte order: `ac` for the prefix `ab`. Nil if no
  /// text comes after them.
  static func successor(of prefix: String) -> String? {
    // The last scalar of the prefix is incremented, because UTF-8 sorts like scalars.
    var scalars = prefix.unicodeScalars
    while let last = scalars.popLast() {
      // U+E000 follows U+D7FF, because surrogates are no scalars. Nothing follows the last scalar.
      let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
      guard let raised = Unicode.Scalar(next) else { continue }
      scalars.append(raised)
      return String(scalars)
    }
    return nil
  }
}

extension SQLiteRecordSchema {
  func sql(_ query: SQLiteQuery) -> String { query.sql(tables[query.collection], keys) }
}
