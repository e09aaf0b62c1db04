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
      case "\u{0}"..<" ", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}", "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}",
        "\u{200E}", "\u{200F}", "\u{FEFF}":
        text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// The text with no line in it that GitHub Actions would take for a command: `::` after nothing but spaces, or `##[`
  /// anywhere, see `ActionCommand` of github.com/actions/runner.
  public var withoutWorkflowCommands: String {
    guard contains("::") || contains("##[") else { return self }
    var text = String.UnicodeScalarView()
    var isAtStart = true
    let scalars = Array(unicodeScalars)
    for (index, scalar) in scalars.enumerated() {
      if isAtStart, scalars[index...].starts(with: "::".unicodeScalars) { text.append("\\") }
      // By scalars, not characters: CR and LF together are one.
      let isLineEnd = scalar == "\n" || scalar == "\r"
      isAtStart = isLineEnd || isAtStart && scalar.properties.isWhitespace
      if scalar == "[", text.suffix(2).elementsEqual("##".unicodeScalars) { text.append("\\") }
      text.append(scalar)
    }
    return String(text)
  }
}
