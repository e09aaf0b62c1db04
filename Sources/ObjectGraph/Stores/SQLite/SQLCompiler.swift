/// A request as SQL: the texts, and where their values come from.
final class CompiledRequest {
  /// Where the value for a `?` comes from.
  enum Binding {
    case value(Value)
    case operand(ResolvedOperand, ResolvedPath, Form)
  }

  /// In which form a value is bound.
  enum Form {
    case plain
    /// In small letters.
    case folded
    /// The least text that starts with the value, and the least after all that do.
    case prefixStart(folded: Bool)
    case prefixEnd(folded: Bool)
    /// The first and the second of two values.
    case lowerBound, upperBound
    /// A list, as JSON.
    case list(folded: Bool)
  }

  let rows: String
  let keys: String
  let count: String
  /// FROM and WHERE.
  let body: String
  /// The alias of the entity's table is `t0`.
  let bindings: [Binding]

  init(plan: FetchPlan) throws {
    let compiler = SQLCompiler(model: plan.model)
    let condition = try plan.predicate.map { try compiler.condition($0, table: "t0") }
    let order = plan.order.map { compiler.order($0, table: "t0") } + ["t0.Z_PK"]
    body =
      "FROM \(plan.entity.table) t0\(compiler.joins)" + (condition.map { " WHERE \($0)" } ?? "")
    let columns = ["t0.Z_PK", "t0.Z_OPT"] + plan.entity.columns.map { "t0.\($0)" }
    // A sort by the key alone needs no word.
    let tail = " ORDER BY \(order.joined(separator: ", ")) LIMIT ? OFFSET ?"
    rows = "SELECT 0, \(columns.joined(separator: ", ")) \(body)\(tail)"
    keys = "SELECT 0, t0.Z_PK \(body)\(tail)"
    count = "SELECT COUNT(*) FROM (SELECT t0.Z_PK \(body) LIMIT ? OFFSET ?)"
    bindings = compiler.bindings
  }
}

/// Writes predicates and orders as SQL. Values are bound, never spliced.
final class SQLCompiler {
  private(set) var bindings: [CompiledRequest.Binding] = []
  /// The joins of to-one relationships, by their path from the first table.
  private(set) var joins = ""
  private var aliases: [String: String] = [:]
  private var aliasCount = 0
  private let model: ManagedObjectModel

  init(model: ManagedObjectModel) { self.model = model }

  /// A condition that is true exactly where the predicate holds; elsewhere it is false or NULL.
  func condition(_ predicate: ResolvedPredicate, table: String) throws -> String {
    switch predicate {
    case .constant(let value): value ? "1" : "0"
    case .and(let parts):
      parts.isEmpty ? "1" : "(\(try parts.map { try condition($0, table: table) }.joined(separator: " AND ")))"
    case .or(let parts):
      parts.isEmpty ? "0" : "(\(try parts.map { try condition($0, table: table) }.joined(separator: " OR ")))"
    // NULL counts as false before it is turned round.
    case .not(let part): "NOT COALESCE(\(try condition(part, table: table)), 0)"
    case .comparison(let comparison): try condition(comparison, table: table)
    }
  }

  func order(_ key: ResolvedSortKey, table: String) -> String {
    let column = column(key.path.steps[...], key.path.target, table)
    return (key.ignoresCase ? "OG_FOLD(\(column))" : column) + (key.ascending ? "" : " DESC")
  }

  // MARK: - Paths

  private func newAlias() -> String {
    aliasCount += 1
    return "t\(aliasCount)"
  }

  /// The column at the end of to-one relationships, joined where need be.
  private func column(_ steps: ArraySlice<Relationship>, _ target: ResolvedPath.Target, _ table: String) -> String {
    // The key of the object at the end stands in the last relationship's column: its table is not needed.
    if case .object = target, let last = steps.last {
      return "\(join(steps.dropLast(), table)).\(columnName(of: last))"
    }
    let table = join(steps, table)
    return switch target {
    case .attribute(let attribute): "\(table).\(attribute.column)"
    case .object: "\(table).Z_PK"
    }
  }

  private func columnName(of relationship: Relationship) -> String { "Z\(relationship.name.uppercased())" }

  /// The alias of the table at the end of to-one relationships.
  private func join(_ steps: ArraySlice<Relationship>, _ table: String) -> String {
    var table = table
    for step in steps {
      let path = "\(table).\(columnName(of: step))"
      if let alias = aliases[path] {
        table = alias
      } else {
        let alias = newAlias()
        joins += " LEFT OUTER JOIN \(model.destination(of: step).table) \(alias) ON \(path) = \(alias).Z_PK"
        aliases[path] = alias
        table = alias
      }
    }
    return table
  }

  // MARK: - Comparisons

  private func condition(_ comparison: ResolvedComparison, table: String) throws -> String {
    let path = comparison.path
    guard let first = path.steps.firstIndex(where: \.isToMany) else {
      return try condition(comparison, left: column(path.steps[...], path.target, table), table)
    }
    // ANY: there is something at the other end for which it holds.
    let source = join(path.steps[..<first], table)
    let inner = SQLCompiler(model: model)
    inner.aliasCount = aliasCount
    let alias = inner.newAlias()
    let relationship = path.steps[first]
    let destination = model.destination(of: relationship)
    let from: String
    switch relationship.storage {
    case .inverseColumn(let column):
      from = "\(destination.table) \(alias) WHERE \(alias).\(column) = \(source).Z_PK"
    case .joinTable(let pairs, let own, let other, _):
      let pair = inner.newAlias()
      from = """
        \(pairs) \(pair) JOIN \(destination.table) \(alias) ON \(alias).Z_PK = \(pair).\(other) \
        WHERE \(pair).\(own) = \(source).Z_PK
        """
    case .column:
      throw ObjectGraphError.invalidRequest("\(relationship.name) is not a to-many relationship")
    }
    let rest = ResolvedPath(
      steps: Array(path.steps[(first + 1)...]), target: path.target, entity: path.entity)
    var remaining = comparison
    remaining.path = rest
    // What it is compared with belongs to the outer object.
    let condition: String
    if rest.steps.isEmpty {
      condition = try inner.condition(remaining, left: inner.column([], rest.target, alias), table, outer: self)
    } else if rest.hasToMany {
      condition = try inner.condition(remaining, table: alias)
    } else {
      // To-one relationships behind it, as a selection of their own: this one's joins come before WHERE.
      condition = try inner.nested(remaining, from: alias, outer: self, table)
    }
    aliasCount = inner.aliasCount
    bindings += inner.bindings
    return "EXISTS (SELECT 1 FROM \(from) AND \(condition))"
  }

  /// A comparison of what to-one relationships from a table lead to.
  private func nested(
    _ comparison: ResolvedComparison, from table: String, outer: SQLCompiler, _ outerTable: String
  ) throws -> String {
    var place = table
    var tables: [String] = []
    var links: [String] = []
    var steps = comparison.path.steps
    if case .object = comparison.path.target { steps.removeLast() }
    for step in steps {
      let alias = newAlias()
      tables.append("\(model.destination(of: step).table) \(alias)")
      links.append("\(place).\(columnName(of: step)) = \(alias).Z_PK")
      place = alias
    }
    let left =
      switch comparison.path.target {
      case .attribute(let attribute): "\(place).\(attribute.column)"
      case .object: "\(place).\(columnName(of: comparison.path.steps[comparison.path.steps.count - 1]))"
      }
    let condition = try condition(comparison, left: left, outerTable, outer: outer)
    guard !tables.isEmpty else { return condition }
    // Where a relationship leads nowhere, its value is absent.
    let scalar = "(SELECT \(left) FROM \(tables.joined(separator: ", ")) WHERE \(links.joined(separator: " AND ")))"
    return condition.replacing(left, with: scalar)
  }

  private func condition(
    _ comparison: ResolvedComparison, left: String, _ table: String, outer: SQLCompiler? = nil
  ) throws -> String {
    let folded = comparison.ignoresCase && comparison.path.type == .string
    let left = folded ? "OG_FOLD(\(left))" : left
    func right(_ form: CompiledRequest.Form) -> String {
      if case .path(let other) = comparison.operand {
        let column = (outer ?? self).column(other.steps[...], other.target, table)
        return folded ? "OG_FOLD(\(column))" : column
      }
      bindings.append(.operand(comparison.operand, comparison.path, form))
      return "?"
    }
    let plain: CompiledRequest.Form = folded ? .folded : .plain
    switch comparison.comparison {
    case .equal:
      if case .value(.null) = comparison.operand { return "\(left) IS NULL" }
      return "\(left) IS \(right(plain))"
    case .notEqual:
      if case .value(.null) = comparison.operand { return "\(left) IS NOT NULL" }
      return "\(left) IS NOT \(right(plain))"
    case .less: return "\(left) < \(right(plain))"
    case .lessOrEqual: return "\(left) <= \(right(plain))"
    case .greater: return "\(left) > \(right(plain))"
    case .greaterOrEqual: return "\(left) >= \(right(plain))"
    case .between: return "\(left) BETWEEN \(right(.lowerBound)) AND \(right(.upperBound))"
    case .in:
      if case .list(let parts) = comparison.operand, parts.count <= 500 {
        bindings += parts.map { .operand($0, comparison.path, plain) }
        return "\(left) IN (\(Array(repeating: "?", count: parts.count).joined(separator: ", ")))"
      }
      return "\(left) IN (SELECT value FROM json_each(\(right(.list(folded: folded)))))"
    case .contains: return "instr(\(left), \(right(plain))) > 0"
    case .beginsWith:
      if case .path = comparison.operand {
        throw ObjectGraphError.invalidRequest("BEGINSWITH takes a text, not another property")
      }
      return
        "(\(left) >= \(right(.prefixStart(folded: folded))) AND \(left) < \(right(.prefixEnd(folded: folded))))"
    case .endsWith: return "OG_ENDS(\(left), \(right(plain)))"
    case .like: return "OG_LIKE(\(left), \(right(plain)))"
    }
  }
}

extension CompiledRequest {
  /// Binds the values of a use.
  func bind(_ statement: SQLiteStatement, _ window: FetchWindow, _ variables: [String: Operand]) throws {
    var index: Int32 = 1
    for binding in bindings {
      switch binding {
      case .value(let value): statement.bind(index, value)
      case .operand(.value(let value), _, .plain): statement.bind(index, value)
      case .operand(let operand, let path, let form):
        try Self.bind(statement, index, try Self.values(of: operand, for: path, variables), form)
      }
      index += 1
    }
    statement.bind(index, window.limit > 0 ? Int64(window.limit) : -1)
    statement.bind(index + 1, Int64(max(window.offset, 0)))
  }

  /// The values of an operand; an object's is its key, or one that nothing has if it is not saved.
  private static func values(
    of operand: ResolvedOperand, for path: ResolvedPath, _ variables: [String: Operand]
  ) throws -> [Value] {
    switch operand {
    case .value(let value): [value]
    case .object(let id): [.integer(id.key)]
    case .list(let parts): try parts.flatMap { try values(of: $0, for: path, variables) }
    case .path: []
    case .variable(let name):
      try ResolvedOperand.variable(name, for: path, variables).map { reached in
        switch reached {
        case .value(let value): value
        case .object(let id): .integer(id.key)
        }
      }
    }
  }

  private static func bind(
    _ statement: SQLiteStatement, _ index: Int32, _ values: [Value], _ form: Form
  ) throws {
    func folded(_ value: Value?) -> Value {
      if case .string(let text) = value { .string(Fold.fold(text)) } else { value ?? .null }
    }
    switch form {
    case .plain: statement.bind(index, values.first ?? .null)
    case .folded: statement.bind(index, folded(values.first))
    case .lowerBound: statement.bind(index, values.first ?? .null)
    case .upperBound: statement.bind(index, values.count == 2 ? values[1] : .null)
    case .prefixStart(let isFolded):
      let value = values.first ?? .null
      statement.bind(index, isFolded ? folded(value) : value)
    case .prefixEnd(let isFolded):
      let value = isFolded ? folded(values.first) : values.first ?? .null
      guard case .string(let text) = value else {
        statement.bind(index, .null)
        return
      }
      // No byte of UTF-8 is the greatest one, so the last byte of the prefix has a next one. Every text comes before
      // every blob.
      var bytes = Array(text.utf8)
      guard let last = bytes.popLast() else {
        statement.bind(index, [])
        return
      }
      statement.bindText(index, bytes + [last + 1])
    case .list(let isFolded):
      statement.bind(index, .string(try json(values.map { isFolded ? folded($0) : $0 })))
    }
  }

  /// Values as a JSON array, which SQLite takes apart.
  static func json(_ values: [Value]) throws -> String {
    var text = "["
    for (place, value) in values.enumerated() {
      if place > 0 { text += "," }
      switch value {
      case .null: text += "null"
      case .integer(let number): text += "\(number)"
      case .double(let number):
        guard number.isFinite else { throw ObjectGraphError.invalidRequest("\(number) cannot be in a list") }
        text += "\(number)"
      case .string(let string):
        text += "\""
        for scalar in string.unicodeScalars {
          switch scalar {
          case "\"": text += "\\\""
          case "\\": text += "\\\\"
          case _ where scalar.value < 0x20:
            let digits = String(scalar.value, radix: 16)
            text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
          default: text.unicodeScalars.append(scalar)
          }
        }
        text += "\""
      case .binary: throw ObjectGraphError.invalidRequest("bytes cannot be in a list of more than 500 or in a variable")
      }
    }
    return text + "]"
  }
}
