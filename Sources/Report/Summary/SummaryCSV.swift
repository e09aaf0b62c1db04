import Foundation
import StorageContract
import StorageRunFiles

/// Writes and reads `summary.csv`.
public enum SummaryCSV {
  /// The columns' names in their order.
  public static var columns: [String] { SummaryColumn.all.map(\.name) }

  /// The whole file's text.
  public static func text(_ rows: [SummaryRow]) -> String {
    var text = CSVText.line(columns) + "\n"
    for row in rows { text += CSVText.line(SummaryColumn.all.map { $0.text(row) }) + "\n" }
    return text
  }

  /// Reads a file. What is not in it (``SummaryRow/rounds``, whether a backend is a floor) is left out; further
  /// columns at the end, of a later version, are ignored.
  ///
  /// - Throws: `UsageError` naming the file, the line and the column.
  public static func read(_ url: URL) throws -> [SummaryRow] {
    let data: Data
    do {
      data = try Data(contentsOf: url)
    } catch {
      throw UsageError("cannot read \(url.path): \(AtomicFile.reason(of: error))")
    }
    return try parse(String(decoding: data, as: UTF8.self), path: url.path)
  }

  /// Reads a file's text.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - path: The file's name for messages.
  /// - Throws: `UsageError` naming the file, the line and the column.
  public static func parse(_ text: String, path: String) throws -> [SummaryRow] {
    guard let lines = CSVText.parse(text) else {
      throw UsageError("\(path) is damaged: a quote is left open")
    }
    guard let header = lines.first else { throw UsageError("\(path) is empty; make it again with `report`") }
    guard header.fields.starts(with: columns) else {
      let wrong =
        zip(columns, header.fields).first { $0 != $1 }?.0
        ?? columns[min(header.fields.count, columns.count - 1)]
      throw UsageError(
        "\(path) is not a summary of schema version \(schemaVersion): column \(wrong) is not in its place")
    }
    return try lines.dropFirst().map { line in
      let place = "\(path), line \(line.line)"
      guard line.fields.count == header.fields.count else {
        throw UsageError("\(place): \(line.fields.count) fields where the header has \(header.fields.count)")
      }
      let values = Dictionary(uniqueKeysWithValues: zip(columns, line.fields))
      var row = SummaryRow(
        cell: try cell(values, place), machine: "", run: "", level: nil, engineVersion: "", fidelity: .native,
        seed: 0)
      for (column, field) in zip(SummaryColumn.all, line.fields) where !column.read(field, &row) {
        throw UsageError("\(place): '\(field)' is not a value of \(column.name)")
      }
      return row
    }
  }

  private static func cell(_ values: [String: String], _ place: String) throws -> Cell {
    func value<Value>(_ name: String, _ read: (String) -> Value?) throws -> Value {
      let text = values[name] ?? ""
      guard let value = read(text) else { throw UsageError("\(place): '\(text)' is not a value of \(name)") }
      return value
    }
    let durability: Durability? =
      (values["durability"] ?? "").isEmpty ? nil : try value("durability") { Durability(rawValue: $0) }
    let id = try value("backend") { $0.isEmpty ? nil : $0 }
    let options = try value("options") { Options(verbatim: $0) }
    return Cell(
      backend: Spec(id: id, options: options),
      workload: Spec(verbatim: try value("workload") { $0.isEmpty ? nil : $0 }),
      records: try value("records") { Int($0) },
      recordBytes: try value("record_bytes") { Int($0) },
      durability: durability,
      threads: try value("threads") { Int($0) },
      cache: try value("cache") { CacheState(rawValue: $0) })
  }
}
