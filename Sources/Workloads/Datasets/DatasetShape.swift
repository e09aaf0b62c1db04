import Foundation
import StorageContract

/// The format of a user's data file, CSV or JSON lines, given by the extension of the file's name.
enum DatasetShape {
  case delimited
  case lines

  /// Returns the format of a user's data file, and its text without a byte order mark.
  ///
  /// - Throws: ``UsageError`` with advice if the file is neither CSV nor JSON lines, or is not UTF-8.
  static func read(_ data: Data, path: String) throws -> (shape: DatasetShape, text: String) {
    if let (kind, fix) = binaryKind(data) { throw UsageError("the data set \(path) is \(kind); \(fix)") }
    let shape = try shape(path)
    guard var text = String(validating: data, as: UTF8.self) else {
      let (line, column) = firstInvalidByte(data)
      throw UsageError(
        "\(path), line \(line), column \(column): this is not UTF-8; convert the file, from Windows for instance with: "
          + "iconv -f WINDOWS-1252 -t UTF-8")
    }
    while text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
    if shape == .delimited { try checkSeparator(text, path) }
    return (shape, text)
  }

  private static func shape(_ path: String) throws -> DatasetShape {
    let fix: String
    switch URL(fileURLWithPath: path).pathExtension.lowercased() {
    case "csv": return .delimited
    case "jsonl", "ndjson": return .lines
    case "tsv", "tab": fix = "is separated by tabs; save it with commas as .csv"
    case "json": fix = "is not JSON lines; put each object on a separate line with: jq -c '.[]' FILE > FILE.jsonl"
    default: fix = "is of no known kind; give --dataset a file ending in .csv or .jsonl"
    }
    throw UsageError("the data set \(path) \(fix)")
  }

  /// File formats that cannot be read, such as gzip: the first bytes, the name, and advice for the user.
  private static let binaryKinds: [(bytes: [UInt8], kind: String, fix: String)] = [
    ([0x1F, 0x8B], "compressed with gzip", "unpack it with: gunzip -k FILE"),
    ([0x28, 0xB5, 0x2F, 0xFD], "compressed with zstd", "unpack it with: zstd -d FILE"),
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "compressed with xz", "unpack it with: xz -dk FILE"),
    (Array("BZh".utf8), "compressed with bzip2", "unpack it with: bunzip2 -k FILE"),
    (
      [0x50, 0x4B, 0x03, 0x04], "a workbook of a spreadsheet or a zip archive",
      "save the table as CSV (UTF-8), or unpack the archive"
    ),
    ([0xD0, 0xCF, 0x11, 0xE0], "a workbook of an old Excel", "save the table as CSV (UTF-8)"),
    (Array("SQLite format 3".utf8), "a SQLite database", "export a table with: sqlite3 -header -csv FILE 'SELECT ...'"),
    (Array("bplist".utf8), "a binary property list", "write its records as lines of JSON"),
    (Array("%PDF".utf8), "a PDF document", "give the table as a .csv file"),
    ([0xFF, 0xFE], "UTF-16", "convert it with: iconv -f UTF-16 -t UTF-8 FILE"),
    ([0xFE, 0xFF], "UTF-16", "convert it with: iconv -f UTF-16 -t UTF-8 FILE"),
  ]

  private static func binaryKind(_ data: Data) -> (String, String)? {
    if let known = binaryKinds.first(where: { data.starts(with: $0.bytes) }) { return (known.kind, known.fix) }
    // Without a byte order mark, every other byte of ASCII text in UTF-16 is 0.
    let start = Array(data.prefix(4))
    guard start.count == 4 else { return nil }
    for (zeros, name) in [([1, 3], "UTF-16LE"), ([0, 2], "UTF-16BE")]
    where zeros.allSatisfy({ start[$0] == 0 }) && zeros.allSatisfy({ start[$0 ^ 1] != 0 }) {
      return ("UTF-16", "convert it with: iconv -f \(name) -t UTF-8 FILE")
    }
    return nil
  }

  /// Returns the position of the first byte that is not valid UTF-8. Line and column (in bytes) are counted from 1.
  private static func firstInvalidByte(_ data: Data) -> (line: Int, column: Int) {
    var offset = 0
    do { _ = try UTF8Span(validating: data.span) } catch { offset = error.byteOffsets.lowerBound }
    let (before, end) = (data.prefix(offset), UInt8(ascii: "\n"))
    return (before.count { $0 == end } + 1, offset - (before.lastIndex(of: end) ?? -1))
  }

  /// Throws ``UsageError`` if the header of a CSV file has more semicolons, tabs or vertical bars than commas.
  private static func checkSeparator(_ text: String, _ path: String) throws {
    var counts: [UInt8: Int] = [:]
    var isQuoted = false
    for byte in text.utf8 {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if isQuoted { continue }
      if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
        if counts.isEmpty { continue }
        break
      }
      counts[byte, default: 0] += 1
    }
    let commas = counts[UInt8(ascii: ",")] ?? 0
    for (separator, name) in [(";", "semicolons"), ("\t", "tabs"), ("|", "vertical bars")] {
      guard let separator = separator.utf8.first, let count = counts[separator], count > commas else { continue }
      throw UsageError(
        "\(path), line 1: the header is separated by \(name); separate the fields by commas, or put a name that contains it in quotes"
      )
    }
  }
}
