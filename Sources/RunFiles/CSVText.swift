import StorageContract
/// A writer of comma-separated values, quoted as in RFC 4180, with `\n` between lines.
package enum CSVText {
  package static func line(_ fields: [String]) -> String { fields.map(field).joined(separator: ",") }

  /// Returns a text as a CSV field. A text that a spreadsheet would read as a formula gets an apostrophe (owasp.org,
  /// CSV Injection).
  package static func field(_ text: String) -> String {
    let text = text.visible
    switch text.unicodeScalars.first {
    // Some spreadsheets treat the full-width forms of =, @, + and - like the ASCII characters.
    case "=", "@", "\u{FF1D}", "\u{FF20}", "\u{FF0B}", "\u{FF0D}": return quoted("'" + text)
    case "+", "-": return text == "-" || Double(text) != nil ? text : quoted("'" + text)
    default: return quoted(text)
    }
  }

  package static func quoted(_ field: String) -> String {
    guard field.utf8.contains(where: { $0 == 0x2C || $0 == 0x22 || $0 == 0x0A || $0 == 0x0D }) else {
      return field
    }
    // A quotation mark that is followed by a combining character counts, too, so the bytes are split.
    let parts = field.utf8.split(separator: 0x22, omittingEmptySubsequences: false).map { Substring($0) }
    return "\"\(parts.joined(separator: "\"\""))\""
  }
}
