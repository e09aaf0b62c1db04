/// Puts the pieces of a predicate's text together: one function for each level of the language.
struct PredicateParser {
  private let tokens: [(token: PredicateToken, position: Int)]
  private var place = 0
  private var arguments: PredicateArguments
  private var depth = 0

  /// So that no text, however deep its brackets, uses the stack up.
  private static let greatestDepth = 200

  init(tokens: [(token: PredicateToken, position: Int)], arguments: [Any?]) {
    self.tokens = tokens
    self.arguments = PredicateArguments(arguments)
  }

  mutating func parse() throws -> FetchPredicate {
    let predicate = try disjunction()
    guard token == .end else { throw error("AND, OR or the end expected, and \(token.description) found") }
    if let reason = arguments.unused { throw error(reason) }
    return predicate
  }

  // MARK: - Pieces

  private var token: PredicateToken { tokens[place].token }
  private var position: Int { tokens[place].position }

  private mutating func advance() { if place < tokens.count - 1 { place += 1 } }

  private func error(_ reason: String, at position: Int? = nil) -> PredicateSyntaxError {
    PredicateSyntaxError(position: position ?? self.position, reason: reason)
  }

  /// The keyword that is here, in capitals.
  private var keyword: String? {
    guard case .word(let word) = token else { return nil }
    let capitals = word.uppercased()
    return PredicateText.keywords.contains(capitals) ? capitals : nil
  }

  private mutating func skip(_ symbol: String) -> Bool {
    guard token == .symbol(symbol) else { return false }
    advance()
    return true
  }

  private mutating func skip(keyword word: String) -> Bool {
    guard keyword == word else { return false }
    advance()
    return true
  }

  private mutating func expect(_ symbol: String) throws {
    guard skip(symbol) else { throw error("'\(symbol)' expected, and \(token.description) found") }
  }

  // MARK: - Predicates

  private mutating func disjunction() throws -> FetchPredicate {
    var parts = [try conjunction()]
    while skip(keyword: "OR") || skip("||") { parts.append(try conjunction()) }
    return parts.count == 1 ? parts[0] : .or(parts)
  }

  private mutating func conjunction() throws -> FetchPredicate {
    var parts = [try negation()]
    while skip(keyword: "AND") || skip("&&") { parts.append(try negation()) }
    return parts.count == 1 ? parts[0] : .and(parts)
  }

  private mutating func negation() throws -> FetchPredicate {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.greatestDepth else { throw error("the predicate is nested deeper than \(Self.greatestDepth)") }
    if skip(keyword: "NOT") || skip("!") { return .not(try negation()) }
    if skip("(") {
      let predicate = try disjunction()
      try expect(")")
      return predicate
    }
    if skip(keyword: "TRUEPREDICATE") { return .constant(true) }
    if skip(keyword: "FALSEPREDICATE") { return .constant(false) }
    return try comparison()
  }

  private mutating func comparison() throws -> FetchPredicate {
    let start = position
    let isNone = skip(keyword: "NONE")
    var modifier = ComparisonModifier.direct
    if isNone || skip(keyword: "ANY") || skip(keyword: "SOME") { modifier = .any }
    if modifier == .direct, skip(keyword: "ALL") { modifier = .all }
    var left = try operand()
    var (comparison, options) = try comparisonOperator()
    let right = position
    var operand = try self.operand()
    switch (left, comparison, operand) {
    case (.path, .contains, .object) where modifier == .direct:
      (modifier, comparison) = (.any, .equal)
    case (.path, _, _): break
    case (.value, .in, .path), (.object, .in, .path), (.variable, .in, .path):
      guard modifier == .direct else { throw error("leave ANY, ALL or NONE out before IN and a path", at: start) }
      (left, operand, modifier, comparison) = (operand, left, .any, .equal)
    case (_, _, .path):
      guard let mirrored = comparison.mirrored, modifier == .direct else {
        throw error("a property expected on the left of \(comparison.symbol); give its name with %K, not %@", at: start)
      }
      (left, operand, comparison) = (operand, left, mirrored)
    default:
      throw error("a property expected on one side, and both are values; give its name with %K, not %@", at: start)
    }
    guard case .path(let path) = left else { throw error("a property expected", at: start) }
    try check(operand, for: comparison, at: right)
    let predicate = FetchPredicate.comparison(
      ComparisonPredicate(path, modifier, comparison, operand, options: options))
    return isNone ? .not(predicate) : predicate
  }

  /// Whether the operator takes one value or several.
  private func check(_ operand: Operand, for comparison: ComparisonOperator, at right: Int) throws {
    let isSeveral = comparison == .in || comparison == .between
    switch operand {
    case .variable: break
    case .list(let parts):
      guard isSeveral else {
        throw error("one value expected after \(comparison.symbol), and several found", at: right)
      }
      guard comparison == .in || parts.count == 2 else {
        throw error("two values expected after BETWEEN, and \(parts.count) found", at: right)
      }
    case .path where comparison == .in:
      throw error("a list expected after IN; of two properties say ANY \(operand) == the other one", at: right)
    case .value, .object, .path:
      guard !isSeveral else { throw error("a list {…} expected after \(comparison.symbol)", at: right) }
    }
  }

  private mutating func comparisonOperator() throws -> (ComparisonOperator, ComparisonOptions) {
    let comparison: ComparisonOperator
    switch token {
    case .symbol("=="), .symbol("="): comparison = .equal
    case .symbol("!="), .symbol("<>"): comparison = .notEqual
    case .symbol("<"): comparison = .less
    case .symbol("<="), .symbol("=<"): comparison = .lessOrEqual
    case .symbol(">"): comparison = .greater
    case .symbol(">="), .symbol("=>"): comparison = .greaterOrEqual
    default:
      switch keyword {
      case "BETWEEN": comparison = .between
      case "IN": comparison = .in
      case "CONTAINS": comparison = .contains
      case "BEGINSWITH": comparison = .beginsWith
      case "ENDSWITH": comparison = .endsWith
      case "LIKE": comparison = .like
      case "MATCHES": throw error("MATCHES is not here; LIKE knows * and ?")
      default: throw error("a comparison such as == expected, and \(token.description) found")
      }
    }
    advance()
    guard case .options(let letters) = token else { return (comparison, []) }
    guard !letters.isEmpty, letters.lowercased().allSatisfy({ "cd".contains($0) }) else {
      throw error("[\(letters)] is not here, only [c] for capitals, [d] for accents and [cd]")
    }
    advance()
    var options: ComparisonOptions = letters.lowercased().contains("c") ? .caseInsensitive : []
    if letters.lowercased().contains("d") { options.insert(.diacriticInsensitive) }
    return (comparison, options)
  }

  // MARK: - Operands

  private mutating func operand() throws -> Operand {
    let start = position
    switch token {
    case .number(let value):
      advance()
      return .value(value)
    case .text(let text):
      advance()
      return .value(.string(text))
    case .bytes(let bytes):
      advance()
      return .value(.binary(bytes))
    case .variable(let name):
      advance()
      return .variable(try rest(of: name))
    case .symbol("{"): return try list()
    case .argument("K"): return .path(try path())
    case .argument(let kind):
      advance()
      do throws(PredicateArguments.Failure) { return try arguments.operand(kind) } catch {
        throw self.error(error.reason, at: start)
      }
    case .name: return .path(try path())
    case .word:
      switch keyword {
      case nil, "SELF": return .path(try path())
      case "TRUE", "YES":
        advance()
        return .value(.integer(1))
      case "FALSE", "NO":
        advance()
        return .value(.integer(0))
      case "NULL", "NIL":
        advance()
        return .value(.null)
      default: throw error("a property or a value expected, and the keyword \(token.description) found")
      }
    default: throw error("a property or a value expected, and \(token.description) found")
    }
  }

  private mutating func list() throws -> Operand {
    try expect("{")
    var parts: [Operand] = []
    if skip("}") { return .list(parts) }
    repeat {
      let start = position
      let part = try operand()
      if case .list = part { throw error("one value expected inside {…}, and several found", at: start) }
      parts.append(part)
    } while skip(",")
    try expect("}")
    return .list(parts)
  }

  /// Names with dots between them.
  private mutating func path() throws -> String {
    let start = position
    if skip(keyword: "SELF") { return token == .symbol(".") ? String(try rest(of: "").dropFirst()) : "SELF" }
    guard let first = try component() else { throw error("a property expected", at: start) }
    if token == .symbol("(") { throw error("an operator expected; functions are not here") }
    return try rest(of: first)
  }

  private mutating func rest(of first: String) throws -> String {
    var path = first
    while skip(".") {
      guard let name = try component() else {
        throw error("a property's name expected after '.', and \(token.description) found")
      }
      path += ".\(name)"
    }
    return path
  }

  private mutating func component() throws -> String? {
    switch token {
    case .word(let name), .name(let name):
      advance()
      return name
    case .argument("K"):
      let start = position
      advance()
      do throws(PredicateArguments.Failure) { return try arguments.path() } catch {
        throw self.error(error.reason, at: start)
      }
    default: return nil
    }
  }
}
