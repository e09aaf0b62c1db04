/// A piece of a predicate's text.
enum PredicateToken: Equatable {
  /// A name or a keyword.
  case word(String)
  /// A name that was written `#name`, which is no keyword whatever it is called.
  case name(String)
  case number(Value)
  case text(String)
  case bytes([UInt8])
  /// An operator, a bracket, a comma, a dot.
  case symbol(String)
  /// What stands in `[` and `]` behind an operator.
  case options(String)
  /// A place for an argument: `K`, `@`, `ld`.
  case argument(String)
  /// A variable, without its `$`.
  case variable(String)
  case end

  /// How a message calls it.
  var description: String {
    switch self {
    case .word(let word): "'\(word)'"
    case .name(let name): "'#\(name)'"
    case .number(let value): "the number \(value)"
    case .text(let text): "the text \(PredicateText.quoted(text))"
    case .bytes(let bytes): "\(bytes.count) bytes"
    case .symbol(let symbol): "'\(symbol)'"
    case .options(let options): "'[\(options)]'"
    case .argument(let kind): "'%\(kind)'"
    case .variable(let name): "'$\(name)'"
    case .end: "the end"
    }
  }
}

/// What a predicate's text cannot be read for.
struct PredicateSyntaxError: Error {
  /// The place in the text, in characters from 0.
  let position: Int
  /// What was expected there, and what was found.
  let reason: String
}

/// Takes a predicate's text apart.
struct PredicateTokenizer {
  private let scalars: [Unicode.Scalar]
  private var position = 0

  init(_ text: String) { scalars = Array(text.unicodeScalars) }

  /// All pieces, each with its place, `end` as the last one.
  mutating func tokens() throws -> [(token: PredicateToken, position: Int)] {
    var tokens: [(token: PredicateToken, position: Int)] = []
    repeat {
      while let scalar = peek(), scalar.properties.isWhitespace { position += 1 }
      let start = position
      tokens.append((try next(), start))
    } while tokens.last?.token != .end
    return tokens
  }

  // The longer ones first.
  private static let symbols = [
    "==", "=<", "=>", "!=", "<>", "<=", ">=", "&&", "||", "=", "<", ">", "!", "(", ")", "{", "}", ",", ".",
  ]

  private mutating func next() throws -> PredicateToken {
    guard let scalar = peek() else { return .end }
    if scalar == "x", let quote = peek(1), quote == "'" || quote == "\"" { return .bytes(try bytes()) }
    if Self.isLetter(scalar) { return .word(word()) }
    if Self.isDigit(scalar) || (scalar == "-" && peek(1).map(Self.isDigit) == true) { return .number(try number()) }
    switch scalar {
    case "'", "\"": return .text(try text())
    case "#": return .name(try name(after: "#"))
    case "$": return .variable(try name(after: "$"))
    case "%": return .argument(try argument())
    case "[": return .options(try options())
    case "@":
      throw error("a property, a value or an operator expected; collection functions (@count, @sum) are not here")
    default:
      for symbol in Self.symbols where scalars[position...].starts(with: symbol.unicodeScalars) {
        position += symbol.unicodeScalars.count
        return .symbol(symbol)
      }
      throw error("a property, a value or an operator expected, and '\(scalar)' found")
    }
  }

  private func peek(_ ahead: Int = 0) -> Unicode.Scalar? {
    position + ahead < scalars.count ? scalars[position + ahead] : nil
  }

  private func error(_ reason: String, at place: Int? = nil) -> PredicateSyntaxError {
    PredicateSyntaxError(position: place ?? position, reason: reason)
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool { scalar == "_" || scalar.properties.isAlphabetic }
  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

  private mutating func take(while isWanted: (Unicode.Scalar) -> Bool) -> String {
    let start = position
    while let scalar = peek(), isWanted(scalar) { position += 1 }
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars[start..<position])
    return String(text)
  }

  private mutating func word() -> String { take { Self.isLetter($0) || Self.isDigit($0) } }

  private mutating func name(after sign: Unicode.Scalar) throws -> String {
    position += 1
    guard let scalar = peek(), Self.isLetter(scalar) else { throw error("a name expected after '\(sign)'") }
    return word()
  }

  private mutating func number() throws -> Value {
    let start = position
    if peek() == "-" { position += 1 }
    var text = take(while: Self.isDigit)
    var isWhole = true
    if peek() == ".", peek(1).map(Self.isDigit) == true {
      isWhole = false
      position += 1
      text += "." + take(while: Self.isDigit)
    }
    if let scalar = peek(), scalar == "e" || scalar == "E" {
      let sign = peek(1) == "-" || peek(1) == "+" ? peek(1) : nil
      if peek(sign == nil ? 1 : 2).map(Self.isDigit) == true {
        isWhole = false
        position += sign == nil ? 1 : 2
        text += "e" + (sign.map(String.init) ?? "") + take(while: Self.isDigit)
      }
    }
    if let scalar = peek(), Self.isLetter(scalar) { throw error("an operator expected after a number") }
    text = (scalars[start] == "-" ? "-" : "") + text
    if isWhole, let number = Int64(text) { return .integer(number) }
    guard let number = Double(text) else { throw error("\(text) is not a number", at: start) }
    return .double(number)
  }

  private mutating func text() throws -> String {
    let start = position
    guard let quote = peek() else { return "" }
    position += 1
    var text = String.UnicodeScalarView()
    while let scalar = peek() {
      position += 1
      if scalar == quote { return String(text) }
      text.append(scalar == "\\" ? try escaped() : scalar)
    }
    throw error("the text that begins here has no end", at: start)
  }

  private mutating func escaped() throws -> Unicode.Scalar {
    guard let scalar = peek() else { throw error("a character expected after '\\'") }
    position += 1
    switch scalar {
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "u":
      let digits = String(String.UnicodeScalarView(scalars[position..<min(position + 4, scalars.count)]))
      guard digits.utf8.count == 4, let code = UInt32(digits, radix: 16), let scalar = Unicode.Scalar(code) else {
        throw error("four hexadecimal digits of a character expected after '\\u'")
      }
      position += 4
      return scalar
    case "\\", "'", "\"": return scalar
    default: throw error("'\\\(scalar)' stands for nothing; say \\\\ for a backslash", at: position - 2)
    }
  }

  private mutating func bytes() throws -> [UInt8] {
    let start = position
    position += 1
    let digits = try text()
    let pairs = Array(digits.utf8)
    var bytes: [UInt8] = []
    for place in stride(from: 0, to: pairs.count - 1, by: 2) {
      let pair = String(decoding: pairs[place..<place + 2], as: UTF8.self)
      if let byte = UInt8(pair, radix: 16) { bytes.append(byte) }
    }
    // A sign would be taken for a digit.
    guard digits.allSatisfy(\.isHexDigit), bytes.count * 2 == pairs.count else {
      throw error("pairs of hexadecimal digits expected in x'…'", at: start)
    }
    return bytes
  }

  /// `%K`, `%@`, and what printf takes for whole numbers and fractions.
  private mutating func argument() throws -> String {
    let start = position
    position += 1
    var kind = ""
    while peek() == "l", kind.count < 2 {
      kind += "l"
      position += 1
    }
    guard let scalar = peek() else { throw error("%K, %@ or a number's %d or %f expected", at: start) }
    let lengths = ["K": 0, "@": 0, "d": 2, "i": 2, "u": 2, "f": 1, "g": 1]
    guard let length = lengths[String(scalar)], kind.count <= length else {
      throw error("%K, %@ or a number's %d or %f expected, and '%\(kind)\(scalar)' found", at: start)
    }
    position += 1
    return kind + String(scalar)
  }

  private mutating func options() throws -> String {
    let start = position
    position += 1
    let options = take { Self.isLetter($0) }
    guard peek() == "]" else { throw error("']' expected after '[\(options)'", at: start) }
    position += 1
    return options
  }
}
