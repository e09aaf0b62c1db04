extension String {
  /// The text in a form that is safe to print in one line: control and format characters are escaped, as in `\u{1B}` or
  /// `\n`.
  public var visible: String {
    // Nearly every text consists of harmless ASCII and is returned at once.
    if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return self }
    var text = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case _ where scalar.steers: text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// The text with backslashes before commands of GitHub Actions, such as `::error` (see `ActionCommand` in
  /// github.com/actions/runner).
  public var withoutWorkflowCommands: String {
    guard contains("::") || contains("##") else { return self }
    var text = String.UnicodeScalarView()
    var isAtStart = true
    let scalars = Array(unicodeScalars)
    for (index, scalar) in scalars.enumerated() {
      if isAtStart, scalars[index...].starts(with: "::".unicodeScalars) { text.append("\\") }
      // The line end is compared by scalars, because CR and LF together are one character.
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
  /// Whether the character is invisible and controls the display, such as a line separator. The joiners U+200C and
  /// U+200D do not count.
  public var steers: Bool {
    if value < 0x20 || (0x7F...0x9F).contains(value) { return true }
    guard value > 0x9F, value != 0x200C, value != 0x200D else { return false }
    return switch properties.generalCategory {
    case .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
