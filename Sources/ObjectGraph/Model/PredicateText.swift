/// The words of the predicate language, and how values are written in it.
enum PredicateText {
  /// What is a keyword, in capitals. A property of such a name is written `#name`.
  static let keywords: Set<String> = [
    "AND", "OR", "NOT", "ANY", "SOME", "ALL", "NONE", "BETWEEN", "IN", "CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE",
    "MATCHES", "TRUE", "YES", "FALSE", "NO", "NULL", "NIL", "SELF", "TRUEPREDICATE", "FALSEPREDICATE",
  ]

  /// A text as it stands in a predicate.
  static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\":
        quoted += "\\"
        quoted.unicodeScalars.append(scalar)
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      case _ where scalar.value < 0x20 || scalar.value == 0x7f:
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

extension FetchPredicate: CustomStringConvertible {
  /// The predicate in the language of ``init(format:_:)``, which reads it again: only an object, written as the URI
  /// of its ID, has to be given as an argument.
  public var description: String {
    switch self {
    case .constant(let value): value ? "TRUEPREDICATE" : "FALSEPREDICATE"
    case .comparison(let comparison): comparison.description
    case .and(let parts): Self.joined(parts, "AND", empty: true)
    case .or(let parts): Self.joined(parts, "OR", empty: false)
    case .not(let part): "NOT (\(part))"
    }
  }

  private static func joined(_ parts: [FetchPredicate], _ word: String, empty: Bool) -> String {
    switch parts.count {
    case 0: FetchPredicate.constant(empty).description
    case 1: parts[0].description
    default: parts.map { $0.isCompound ? "(\($0))" : "\($0)" }.joined(separator: " \(word) ")
    }
  }

  /// Whether it is several predicates, which belong in brackets inside another one.
  private var isCompound: Bool {
    switch self {
    case .and(let parts), .or(let parts): parts.count == 1 ? parts[0].isCompound : parts.count > 1
    case .constant, .comparison, .not: false
    }
  }
}

extension ComparisonPredicate: CustomStringConvertible {
  /// The comparison in the language of ``FetchPredicate/init(format:_:)``.
  public var description: String {
    "\(modifier.prefix)\(Operand.path(path)) \(comparison.symbol)\(options) \(operand)"
  }
}

extension ComparisonModifier {
  fileprivate var prefix: String {
    switch self {
    case .direct: ""
    case .any: "ANY "
    case .all: "ALL "
    }
  }
}

extension ComparisonOptions: CustomStringConvertible {
  /// The options as they stand behind an operator: `[cd]`.
  public var description: String {
    let letters = (contains(.caseInsensitive) ? "c" : "") + (contains(.diacriticInsensitive) ? "d" : "")
    return letters.isEmpty ? "" : "[\(letters)]"
  }
}

extension ComparisonOperator {
  var symbol: String {
    switch self {
    case .equal: "=="
    case .notEqual: "!="
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    case .between: "BETWEEN"
    case .in: "IN"
    case .contains: "CONTAINS"
    case .beginsWith: "BEGINSWITH"
    case .endsWith: "ENDSWITH"
    case .like: "LIKE"
    }
  }

  /// The same with its sides exchanged, where there is one.
  var mirrored: ComparisonOperator? {
    switch self {
    case .equal: .equal
    case .notEqual: .notEqual
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    case .between, .in, .contains, .beginsWith, .endsWith, .like: nil
    }
  }
}

extension Operand: CustomStringConvertible {
  /// The operand in the language of ``FetchPredicate/init(format:_:)``.
  public var description: String {
    switch self {
    case .value(.string(let text)): PredicateText.quoted(text)
    case .value(.binary(let bytes)): "x'\(Value.hex(bytes))'"
    // NaN is no value, as in a store; the infinite ones are greater than any number that can be written.
    case .value(.double(let number)):
      number.isNaN ? "NULL" : number.isFinite ? "\(number)" : number < 0 ? "-1e999" : "1e999"
    case .value(let value): value.description
    case .object(let id): id.description
    case .list(let parts): "{\(parts.map(\.description).joined(separator: ", "))}"
    case .path("SELF"): "SELF"
    case .path(let path):
      path.split(separator: ".", omittingEmptySubsequences: false).map {
        PredicateText.keywords.contains($0.uppercased()) ? "#\($0)" : String($0)
      }.joined(separator: ".")
    case .variable(let name): "$\(name)"
    }
  }
}
