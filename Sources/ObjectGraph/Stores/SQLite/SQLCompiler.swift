/// A compiler of predicates and sort orders to SQL. Values are bound to a `?`, and never become part of the SQL text.
final class SQLCompiler {
  private(set) var bindings: [CompiledRequest.Binding] = []
  /// The number of values in each list variable, such as `$ids` in `IN $ids`, by variable name. The SQL has one `?` per
  /// value.
  private(set) var listCounts: [String: Int] = [:]
  /// The number of `?` still available for the values of IN lists in this SQL statement.
  private var placeholdersLeft = CompiledRequest.greatestCountToKeep

  private let request: StoreRequest
  private var aliasCount = 0
  /// The row of the fetched object, where property paths start.
  private let root: RowReference
  /// The FROM clause of the outermost SELECT. Each subquery has a separate FROM clause.
  private let outer = Scope()

  init(_ request: StoreRequest) {
    self.request = request
    root = RowReference(key: "t0.Z_PK", alias: "t0", entity: request.entity)
    outer.tables = "\(request.entity.table) t0"
  }

  var tables: String { outer.tables }

  /// The FROM clause of one SELECT: a first table, and the tables that are joined to it for relationships.
  private final class Scope {
    var tables = ""
    /// The condition that connects the first table of an EXISTS subquery with the outer SELECT.
    var link = ""
    /// The aliases of the tables joined for to-one relationships. The dictionary key is the foreign key column, such as
    /// `t0.ZSTUDENT_CLASS`.
    var aliases: [String: String] = [:]

    func join(_ table: String, _ kind: String, on condition: String) {
      if tables.isEmpty { (tables, link) = (table, condition) } else { tables += " \(kind) \(table) ON \(condition)" }
    }
  }

  private struct RowReference {
    var key: String
    /// The alias of the row's table in the FROM clause. Nil if the table has not been joined yet.
    var alias: String?
    var entity: Entity
  }

  // MARK: - Paths

  private func newAlias() -> String {
    aliasCount += 1
    return "t\(aliasCount)"
  }

  private func follow(_ steps: some Sequence<Relationship>, from start: RowReference, in scope: Scope) -> RowReference {
    var reference = start
    for step in steps {
      let destination = request.plan.model.destination(of: step)
      switch step.storage {
      case .column:
        reference = RowReference(
          key: "\(table(of: reference, in: scope)).Z\(step.name.uppercased())", entity: destination)
      case .inverseColumn(let column):
        let alias = newAlias()
        scope.join("\(destination.table) \(alias)", "JOIN", on: "\(alias).\(column) = \(reference.key)")
        reference = RowReference(key: "\(alias).Z_PK", alias: alias, entity: destination)
      case .joinTable(let pairs, _):
        let alias = newAlias()
        scope.join("\(pairs.name) \(alias)", "JOIN", on: "\(alias).\(pairs.own) = \(reference.key)")
        reference = RowReference(key: "\(alias).\(pairs.other)", entity: destination)
      }
    }
    return reference
  }

  /// Returns the alias of the table that has the referenced row. Joins the table to the FROM clause if necessary.
  private func table(of reference: RowReference, in scope: Scope) -> String {
    if let alias = reference.alias ?? scope.aliases[reference.key] { return alias }
    let alias = newAlias()
    scope.join("\(reference.entity.table) \(alias)", "LEFT OUTER JOIN", on: "\(alias).Z_PK = \(reference.key)")
    scope.aliases[reference.key] = alias
    return alias
  }

  private func column(_ attribute: Attribute?, of reference: RowReference, in scope: Scope) -> String {
    // A path to an object already leads to a column with the object's key, so the object's table is not joined.
    guard let attribute else { return reference.key }
    return "\(table(of: reference, in: scope)).\(attribute.column)"
  }

  private func column(_ path: ResolvedPath) -> String {
    column(path.attribute, of: follow(path.steps, from: root, in: outer), in: outer)
  }

  func order(_ key: ResolvedSortKey) -> String { column(key.path) + (key.ascending ? "" : " DESC") }

  // MARK: - Predicates

  /// Returns an SQL condition for a predicate. If the predicate is false, the condition is false or NULL.
  func condition(_ predicate: ResolvedPredicate) throws -> String {
    switch predicate {
    case .constant(let value): value ? "1" : "0"
    case .and(let parts): Self.joined(try parts.map(condition)[...], "AND") ?? "1"
    case .or(let parts): Self.joined(try parts.map(condition)[...], "OR") ?? "0"
    // NULL is first converted to false, because the negation of NULL would be NULL.
    case .not(let part): "NOT COALESCE(\(try condition(part)), 0)"
    case .comparison(let comparison): try condition(comparison)
    }
  }

  /// Joins conditions with AND or OR as a balanced tree. SQLite rejects a depth over 1,000 (SQLITE_LIMIT_EXPR_DEPTH).
  private static func joined(_ parts: ArraySlice<String>, _ word: String) -> String? {
    guard parts.count > 2 else { return parts.count == 2 ? "(\(parts.joined(separator: " \(word) ")))" : parts.first }
    let middle = parts.startIndex + parts.count / 2
    return joined([parts[..<middle], parts[middle...]].compactMap { joined($0, word) }[...], word)
  }

  private func condition(_ comparison: ResolvedComparison) throws -> String {
    let path = comparison.path
    guard let first = path.steps.firstIndex(where: \.isToMany) else {
      return try condition(comparison, left: column(path))
    }
    // EXISTS is true if any object at the end of the path matches. The subquery starts at the first to-many
    // relationship.
    let start = follow(path.steps[..<first], from: root, in: outer)
    let inner = Scope()
    let end = follow(path.steps[first...], from: start, in: inner)
    let left = column(path.attribute, of: end, in: inner)
    let condition = try condition(comparison, left: left)
    return "EXISTS (SELECT 1 FROM \(inner.tables) WHERE \(inner.link) AND \(condition))"
  }

  private func condition(_ comparison: ResolvedComparison, left: String) throws -> String {
    func right(isPrefixEnd: Bool = false) -> String {
      operand(comparison.operand, of: comparison, isPrefixEnd: isPrefixEnd)
    }
    switch comparison.comparison {
    // IS treats NULL as a value and can use an index. With =, SQLite can also convert an outer join to an inner join.
    case .equal:
      let isKnownNotToBeNull =
        switch comparison.operand {
        case .value(let value): !value.isAbsent
        case .object: true
        case .list, .variable: false
        }
      return "\(left) \(isKnownNotToBeNull ? "=" : "IS") \(right())"
    case .notEqual: return "\(left) IS NOT \(right())"
    case .less: return "\(left) < \(right())"
    case .lessOrEqual: return "\(left) <= \(right())"
    case .greater: return "\(left) > \(right())"
    case .greaterOrEqual: return "\(left) >= \(right())"
    case .between: return "\(left) BETWEEN \(try list(comparison).joined(separator: " AND "))"
    case .in: return try membership(comparison, left: left)
    case .contains: return "instr(\(left), \(right())) > 0"
    case .beginsWith:
      // A range of texts, because SQLite can search an index for a range.
      return "(\(left) >= \(right()) AND \(left) < \(right(isPrefixEnd: true)))"
    }
  }

  // MARK: - Operands

  private func membership(_ comparison: ResolvedComparison, left: String) throws -> String {
    let count =
      switch comparison.operand {
      case .list(let parts): parts.count
      case .variable(let name): try comparison.values(of: name, request.variables).count
      case .value, .object: 1
      }
    guard count > placeholdersLeft else {
      placeholdersLeft -= count
      return "\(left) IN (\(try list(comparison).joined(separator: ", ")))"
    }
    bindings.append(.longList(comparison))
    // The list is bound as a pointer, not as JSON, which cannot contain a text with a NUL, an infinite number or bytes.
    return """
      \(left) IN (WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?) \
      SELECT OG_LISTED(?, i) FROM n)
      """
  }

  private func list(_ comparison: ResolvedComparison) throws -> [String] {
    switch comparison.operand {
    case .list(let parts): return parts.map { operand($0, of: comparison) }
    case .variable(let name):
      let count = try comparison.values(of: name, request.variables).count
      listCounts[name] = count
      bindings.append(.list(name, comparison))
      return Array(repeating: "?", count: count)
    case .value, .object: return [operand(comparison.operand, of: comparison)]
    }
  }

  private func operand(_ operand: Operand, of comparison: ResolvedComparison, isPrefixEnd: Bool = false) -> String {
    switch operand {
    case .value(let value): bindings.append(.constant(.value(value), isPrefixEnd: isPrefixEnd))
    case .object(let id): bindings.append(.constant(.object(id), isPrefixEnd: isPrefixEnd))
    case .variable(let name): bindings.append(.variable(name, comparison, isPrefixEnd: isPrefixEnd))
    // The resolver allows lists only for IN and BETWEEN, so this case cannot occur.
    case .list: bindings.append(.constant(.value(.null), isPrefixEnd: isPrefixEnd))
    }
    return "?"
  }
}
