import Foundation
import StorageContract

/// A user's CSV or JSON-lines file as a table of column names and rows.
struct DatasetTable {
  struct Row {
    var line: Int
    /// The values by column index. A value is nil if the row's JSON object lacks the column.
    var values: [String?]
  }

  var columns: [String]
  var rows: [Row]

  /// Reads the rows of a CSV or JSON-lines text.
  ///
  /// - Throws: ``UsageError`` that names the first wrong line, or says that the text has no rows.
  init(_ text: String, shape: DatasetShape, path: String) throws {
    switch shape {
    case .delimited: try self.init(delimited: text, path)
    case .lines: try self.init(lines: text, path)
    }
    guard !rows.isEmpty else { throw UsageError("the data set \(path) has no rows; it needs at least one") }
  }

  private init(delimited text: String, _ path: String) throws {
    let table = try DelimitedText.rows(text, file: path)
    columns = table.first?.fields ?? []
    var seen: Set<ExactText> = []
    for (index, column) in columns.enumerated() where !seen.insert(ExactText(column)).inserted {
      throw UsageError(
        "\(path), line \(table[0].line), column \(index + 1): column '\(column.visible)' occurs twice; rename one")
    }
    let width = columns.count
    rows = try table.dropFirst().map { row in
      guard row.fields.count == width else {
        throw UsageError(
          "\(path), line \(row.line), column \(min(row.fields.count, width) + 1): "
            + "\(Quantity.counted(row.fields.count, "field")) but the header has \(width); "
            + "add or remove fields, or put a field with a comma in quotes")
      }
      return Row(line: row.line, values: row.fields)
    }
  }

  private init(lines text: String, _ path: String) throws {
    var objects: [(line: Int, fields: [String: String])] = []
    var names: Set<String> = []
    let end = UInt8(ascii: "\n")
    for (index, bytes) in text.utf8.split(separator: end, omittingEmptySubsequences: false).enumerated() {
      if bytes.allSatisfy({ $0 == 0x20 || (0x09...0x0D).contains($0) }) { continue }
      guard let object = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any] else {
        let isOld = bytes.dropLast().contains(UInt8(ascii: "\r"))
        // Python writes NaN and Infinity, which JSON does not allow.
        let isNotFinite = String(decoding: bytes, as: UTF8.self).contains(/: ?-?(NaN|Infinity)\b/)
        throw UsageError(
          "\(path), line \(index + 1), column 1: "
            + (isOld
              ? DelimitedText.carriageReturn
              : isNotFinite
                ? "JSON has no NaN and no Infinity; write null for them"
                : "this is not a JSON object; write one object on each line"))
      }
      names.formUnion(object.keys)
      objects.append((index + 1, object.mapValues(Self.text)))
    }
    // JSON objects have no order of fields, so the columns are sorted by name.
    let columns = names.sorted { ExactText($0) < ExactText($1) }
    self.columns = columns
    rows = objects.map { object in Row(line: object.line, values: columns.map { object.fields[$0] }) }
  }

  private static func text(_ value: Any) -> String {
    switch value {
    case let text as String: return text
    case is NSNull: return ""
    case let number as NSNumber: return number.stringValue
    default:
      let data = try? JSONSerialization.data(withJSONObject: value, options: [.sortedKeys])
      return data.map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
  }
}
