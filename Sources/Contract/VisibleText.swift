extension String {
  /// The text as a part of one line: what would steer a terminal, end the line or turn its direction is written as Swift
  /// writes it, `\u{1B}` or `\n`.
  ///
  /// Texts of files, users and engines are printed this way; one without such characters is unchanged.
  public var visible: String {
    // All of ASCII that is harmless, which is nearly every text.
    if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return self }
    var text = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      default:
        if scalar.steers {
          text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
        } else {
          text.unicodeScalars.append(scalar)
        }
      }
    }
    return text
  }

  /// The text with no line in it that a CI system would take for a command: `::` after nothing but spaces, or `##[`
  /// anywhere, see `ActionCommand` of github.com/actions/runner; `##vso[` of Azure Pipelines and `##teamcity[`.
  public var withoutWorkflowCommands: String {
    guard contains("::") || contains("##") else { return self }
    var text = String.UnicodeScalarView()
    var isAtStart = true
    let scalars = Array(unicodeScalars)
    for (index, scalar) in scalars.enumerated() {
      if isAtStart, scalars[index...].starts(with: "::".unicodeScalars) { text.append("\\") }
      // By scalars, not characters: CR and LF together are one.
      let isLineEnd = scalar == "\n" || scalar == "\r"
      isAtStart = isLineEnd || isAtStart && scalar.properties.isWhitespace
      if scalar == "[" {
        let before = text.reversed().drop { $0.properties.isAlphabetic }
        if before.prefix(2).elementsEqual("##".unicodeScalars) { text.append("\\") }
      }
      text.append(scalar)
    }
    return String(text)
  }
}

extension Unicode.Scalar {
  /// Whether it is not shown but changes what is: a control character, a line's end, or a mark of direction or format. The
  /// joiners, which words and emoji need, are none.
  public var steers: Bool {
    if value < 0x20 || (0x7F...0x9F).contains(value) { return true }
    guard value > 0x9F, value != 0x200C, value != 0x200D else { return false }
    return switch properties.generalCategory {
    case .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
