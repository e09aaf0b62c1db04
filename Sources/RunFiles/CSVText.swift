import StorageContract
/// A writer and reader of comma-separated values, quoted as in RFC 4180, with `\n` between lines.
package enum CSVText {
  package static func line(_ fields: [String]) -> String { fields.map(field).joined(separator: ",") }

  /// Returns a text as a CSV field, quoted if necessary. If a spreadsheet would read the text as a formula, an
  /// apostrophe is added before the text ("CSV Injection", owasp.org).
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
    var text = "\""
    for scalar in field.unicodeScalars {
      if scalar == "\"" { text.unicodeScalars.append("\"") }
      text.unicodeScalars.append(scalar)
    }
    return text + "\""
  }

  /// Parses a CSV text. Returns the fields of each CSV line, and the number (from 1) of the text line on which it
  /// begins. Nil if a quote is not closed.
  package static func parse(_ text: String) -> [(line: Int, fields: [String])]? {
    var lines: [(line: Int, fields: [String])] = []
    var fields: [String] = []
    // Bytes are parsed instead of characters, because CR and LF together are one Character and all delimiters are
    // ASCII.
    var field: [UInt8] = []
    var (isQuoted, hasContent, number, start) = (false, false, 1, 1)
    let bytes = Array(text.utf8)
    var index = 0

    func endField() {
      fields.append(String(decoding: field, as: UTF8.self))
      field.removeAll(keepingCapacity: true)
    }
    func endLine() {
      if hasContent || !fields.isEmpty {
        endField()
        lines.append((start, fields))
      }
      fields = []
      hasContent = false
      start = number + 1
    }

    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      if isQuoted {
        if byte == 0x22 {
          if index < bytes.count, bytes[index] == 0x22 {
            field.append(0x22)
            index += 1
          } else {
            isQuoted = false
          }
        } else {
          if byte == 0x0A { number += 1 }
          field.append(byte)
        }
        continue
      }
      switch byte {
      case 0x22:
        isQuoted = true
        hasContent = true
      case 0x2C:
        endField()
        hasContent = true
      case 0x0D where index < bytes.count && bytes[index] == 0x0A:
        break
      case 0x0A:
        endLine()
        number += 1
      default:
        field.append(byte)
        hasContent = true
      }
    }
    guard !isQuoted else { return nil }
    endLine()
    return lines
  }
}
