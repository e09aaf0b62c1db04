/// A parser of CSV files (RFC 4180) that records the line number of each row and accepts line ends in quoted fields.
package struct DelimitedText {
  /// A row of a CSV text: the fields between the commas, without quotes.
  package struct Row {
    /// The number, from 1, of the text line on which the row begins.
    package var line: Int
    /// The fields of the row, which may contain line ends.
    package var fields: [String]
  }

  /// The end of the error message for a file whose lines end with a carriage return, as in classic Mac OS.
  package static let carriageReturn =
    "a carriage return ends a line alone; convert the line ends with: tr '\\r' '\\n' < FILE"

  /// Splits a CSV text into rows. Empty rows are omitted.
  ///
  /// - Throws: ``UsageError`` for an unclosed quote, text after a closing quote, or a carriage return alone.
  package static func rows(_ text: String, file: String) throws -> [Row] {
    try text.withLentUTF8 { try rows($0, file) }
  }

  private static func rows(_ bytes: UnsafeBufferPointer<UInt8>, _ file: String) throws -> [Row] {
    var rows: [Row] = []
    var fields: [String] = []
    var field: [UInt8] = []
    var (line, rowLine, quoteLine) = (1, 1, 1)
    var (isQuoted, wasQuoted) = (false, false)
    func endField() {
      fields.append(String(decoding: field, as: UTF8.self))
      field.removeAll(keepingCapacity: true)
      wasQuoted = false
    }
    func endRow() {
      let isBlank = fields.isEmpty && field.isEmpty && !wasQuoted
      let width = fields.count + 1
      endField()
      if !isBlank { rows.append(Row(line: rowLine, fields: fields)) }
      fields = []
      fields.reserveCapacity(width)
    }
    func error(line: Int, _ reason: String) -> UsageError {
      UsageError("\(file), line \(line), column \(fields.count + 1): \(reason)")
    }
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      if byte == UInt8(ascii: "\n") { line += 1 }
      if isQuoted {
        if byte != UInt8(ascii: "\"") {
          field.append(byte)
        } else if index < bytes.count, bytes[index] == byte {
          field.append(byte)
          index += 1
        } else {
          isQuoted = false
          wasQuoted = true
        }
        continue
      }
      switch byte {
      case UInt8(ascii: ","): endField()
      case UInt8(ascii: "\n"):
        endRow()
        rowLine = line
      case UInt8(ascii: "\r"):
        guard index == bytes.count || bytes[index] == UInt8(ascii: "\n") else {
          throw error(line: line, carriageReturn)
        }
      case UInt8(ascii: "\"") where field.isEmpty && !wasQuoted:
        isQuoted = true
        quoteLine = line
      default:
        guard !wasQuoted else {
          throw error(
            line: line, "text follows a closing quote; write a quote within a field as two quotes (\"\")")
        }
        field.append(byte)
      }
    }
    guard !isQuoted else { throw error(line: quoteLine, "this quote is never closed; add a closing quote") }
    if !fields.isEmpty || !field.isEmpty || wasQuoted { endRow() }
    return rows
  }
}
