/// A fetch request compiled to SQL: one statement each for rows, keys and a count, and the values to bind.
final class CompiledRequest {
  /// The value for a `?` in a SQL statement: a constant, a variable of the fetch request, or a list of values.
  enum Binding {
    case constant(Reached, isPrefixEnd: Bool)
    case variable(String, ResolvedComparison, isPrefixEnd: Bool)
    case list(String, ResolvedComparison)
    /// A list of values for IN that is too long for one `?` per value. The SQL function `OG_LISTED` returns the values
    /// instead.
    case longList(ResolvedComparison)
  }

  let rows: String
  let keys: String
  let count: String
  /// The FROM and WHERE clauses, shared by the SQL statements for rows, keys and the count. The fetched table has the
  /// alias `t0`.
  let body: String
  let tail: String
  private let bindings: [Binding]
  private let listCounts: [String: Int]
  private let hasLongLists: Bool

  /// The maximum number of `?` in a cached SQL statement. Longer statements would take too much memory.
  static let greatestCountToKeep = 500

  /// Compiles a fetch request to SQL. The length of each variable that is a list determines the number of `?` in the
  /// SQL.
  init(_ request: StoreRequest) throws {
    let plan = request.plan
    let compiler = SQLCompiler(request)
    let condition = try plan.predicate.map { try compiler.condition($0) }
    let order = plan.order.map(compiler.order) + ["t0.Z_PK"]
    body = "FROM \(compiler.tables)" + (condition.map { " WHERE \($0)" } ?? "")
    tail = " ORDER BY \(order.joined(separator: ", ")) LIMIT ? OFFSET ?"
    rows = "SELECT 0, \(plan.entity.selection) \(body)\(tail)"
    keys = "SELECT 0, t0.Z_PK \(body)\(tail)"
    count = "SELECT COUNT(*) FROM (SELECT t0.Z_PK \(body) LIMIT ? OFFSET ?)"
    bindings = compiler.bindings
    listCounts = compiler.listCounts
    hasLongLists = bindings.contains { if case .longList = $0 { true } else { false } }
  }

  func fits(_ variables: [String: Operand]) -> Bool {
    listCounts.allSatisfy { name, count in
      if case .list(let parts)? = variables[name] { parts.count == count } else { false }
    }
  }

  func statement(
    _ sql: String, _ database: SQLiteDatabase, _ store: StoreIdentifier, _ request: StoreRequest
  ) throws -> SQLiteStatement {
    let (window, variables) = (request.window, request.variables)
    let isKept = !hasLongLists && bindings.count + listCounts.values.reduce(0, +) <= Self.greatestCountToKeep
    let statement = isKept ? try database.statement(sql) : try SQLiteStatement(sql, database)
    var index: Int32 = 1
    func bind(_ reached: Reached, isPrefixEnd: Bool = false) {
      let value = Self.value(reached, in: store)
      if isPrefixEnd { Self.bindPrefixEnd(statement, index, value) } else { statement.bind(index, value) }
      index += 1
    }
    for binding in bindings {
      switch binding {
      case .constant(let reached, let isPrefixEnd): bind(reached, isPrefixEnd: isPrefixEnd)
      case .variable(let name, let comparison, let isPrefixEnd):
        bind(try comparison.oneValue(of: name, variables), isPrefixEnd: isPrefixEnd)
      case .list(let name, let comparison):
        for reached in try comparison.values(of: name, variables) { bind(reached) }
      case .longList(let comparison):
        let values = try comparison.constants(comparison.operand, variables).map { Self.value($0, in: store) }
        statement.bind(index, Int64(values.count))
        statement.bind(index + 1, list: values)
        index += 2
      }
    }
    statement.bind(index, window.limit > 0 ? Int64(window.limit) : -1)
    statement.bind(index + 1, Int64(max(window.offset, 0)))
    return statement
  }

  private static func value(_ reached: Reached, in store: StoreIdentifier) -> Value {
    switch reached {
    case .value(let value): value
    // No object has key 0, so 0 represents objects of other stores.
    case .object(let id): .integer(id.origin == store ? id.key : 0)
    }
  }

  /// Binds the least text that is greater than all texts with a prefix. For the prefix `ab`, this is `ac`.
  private static func bindPrefixEnd(_ statement: SQLiteStatement, _ index: Int32, _ value: Value) {
    guard case .string(let text) = value else { return statement.bind(index, .null) }
    // No byte of UTF-8 is 255, so the last byte of the prefix can be incremented.
    var bytes = Array(text.utf8)
    // Every text starts with the empty prefix. The upper bound is an empty blob, which SQLite sorts after all texts.
    guard let last = bytes.popLast() else { return statement.bind(index, .binary([])) }
    bytes.append(last + 1)
    bytes.withUnsafeBufferPointer { statement.bindText(index, $0, SQLiteStatement.transient) }
  }

  /// Returns keys as a JSON array, so that one `?` takes any number of keys. SQLite's `json_each` reads the array.
  static func list(_ keys: [Int64]) -> String { "[\(keys.map(String.init).joined(separator: ","))]" }
}
