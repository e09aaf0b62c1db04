import Foundation

/// Looking for texts in texts, by bytes.
enum TextSearch {
  static func contains(_ text: String, _ part: String) -> Bool {
    let text = Array(text.utf8)
    let part = Array(part.utf8)
    guard !part.isEmpty else { return true }
    guard part.count <= text.count else { return false }
    return (0...(text.count - part.count)).contains { text[$0..<($0 + part.count)].elementsEqual(part) }
  }

  static func ends(_ text: String, _ end: String) -> Bool { text.utf8.reversed().starts(with: end.utf8.reversed()) }

  /// Whether a whole text is like a pattern: `*` any characters, `?` one, `\` takes the next one as it is.
  static func isLike(_ text: String, _ pattern: String) -> Bool {
    let text = Array(text.unicodeScalars)
    var tokens: [(scalar: Unicode.Scalar, isWild: Bool)] = []
    var isEscaped = false
    for scalar in pattern.unicodeScalars {
      if isEscaped {
        tokens.append((scalar, false))
        isEscaped = false
      } else if scalar == "\\" {
        isEscaped = true
      } else {
        tokens.append((scalar, scalar == "*" || scalar == "?"))
      }
    }
    // The last star is the only one to come back to.
    var (place, token) = (0, 0)
    var star: (token: Int, place: Int)?
    while place < text.count {
      if token < tokens.count, tokens[token].isWild, tokens[token].scalar == "*" {
        star = (token, place)
        token += 1
      } else if token < tokens.count,
        tokens[token].isWild ? tokens[token].scalar == "?" : tokens[token].scalar == text[place]
      {
        place += 1
        token += 1
      } else if let back = star {
        star = (back.token, back.place + 1)
        place = back.place + 1
        token = back.token + 1
      } else {
        return false
      }
    }
    return tokens[token...].allSatisfy { $0.isWild && $0.scalar == "*" }
  }
}

extension ComparisonOptions {
  /// A text without the differences that the options ignore: in memory and in SQL the same.
  func folded(_ text: String) -> String {
    var text = text
    // Most texts have no letter that could have an accent.
    if contains(.diacriticInsensitive), !text.utf8.allSatisfy({ $0 < 0x80 }) {
      text = text.folding(options: .diacriticInsensitive, locale: nil)
    }
    return contains(.caseInsensitive) ? text.lowercased() : text
  }

  /// A value as it is compared.
  func folded(_ value: Value) -> Value {
    if !isEmpty, case .string(let text) = value { .string(folded(text)) } else { value }
  }
}
