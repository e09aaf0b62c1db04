import Foundation
import StorageContract

/// The user's own records, read from a CSV or JSON-lines file.
///
/// Columns named `id`, `name`, `group`, `score`, `modified` and `payload` fill the fields of those names; the
/// others become part of the payload, as lines `column=value`. Without an `id` the row's ordinal is the key.
public struct Dataset: RecordSource {
  private let records: RecordList
  /// The mean length of the payloads, rounded down.
  public let recordBytes: Int
  /// Which column went where, in a few words: `id <- id, name <- name, score <- none; 2 columns in the payload: a, b`.
  public let mapping: String
  /// What the file's columns make one ask, or nil: none is known by name, or the separator looks like another one.
  public let question: String?
  /// Hash of the records, which tells two versions of a file apart.
  public let hash: String

  public var count: Int { records.count }
  public func record(at index: Int) -> Record { records.record(at: index) }
  public func key(at index: Int) -> Int64 { records.key(at: index) }
  public func index(of key: Int64) -> Int? { records.index(of: key) }

  /// Reads a file.
  ///
  /// - Throws: ``UsageError`` naming the file and, where it concerns one, the line, the first line being 1.
  public init(path: String) throws {
    guard let data = FileManager.default.contents(atPath: path) else {
      let isDirectory = (try? FileManager.default.contentsOfDirectory(atPath: path)) != nil
      let exists = FileManager.default.fileExists(atPath: path)
      let what = isDirectory ? "is a directory" : exists ? "cannot be read" : "does not exist"
      throw UsageError("the data set \(path) \(what); give --dataset a readable .csv or .jsonl file")
    }
    guard !data.isEmpty else { throw UsageError("the data set \(path) is empty; it needs a header and a row at least") }
    guard var text = String(validating: data, as: UTF8.self) else {
      throw UsageError("\(path), line \(Self.firstBadLine(data)): this is not UTF-8; convert the file to UTF-8")
    }
    // A byte order mark is no part of the first column's name.
    if text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
    let rows: [Row]
    if path.hasSuffix(".csv") {
      rows = try Self.delimitedRows(text, path)
    } else if path.hasSuffix(".jsonl") {
      rows = try Self.objectRows(text, path)
    } else {
      throw UsageError("the data set \(path) is of no known kind; give --dataset a file ending in .csv or .jsonl")
    }
    guard !rows.isEmpty else { throw UsageError("the data set \(path) has no rows; it needs one at least") }
    try self.init(rows: rows, path: path)
  }

  /// One row: its line, and its named values in the order of the columns.
  private struct Row {
    var line: Int
    var values: [(name: String, value: String)]
  }

  private init(rows: [Row], path: String) throws {
    var records: [Record] = []
    records.reserveCapacity(rows.count)
    var lines: [Int64: Int] = [:]
    let hasIDs = rows.contains { $0.values.contains { $0.name == "id" } }
    var columns: [String] = []
    for (ordinal, row) in rows.enumerated() {
      let record = try Self.record(row, ordinal: ordinal + 1, hasIDs: hasIDs, path: path)
      if let first = lines.updateValue(row.line, forKey: record.id) {
        throw UsageError(
          "\(path), line \(row.line): id \(record.id) is already that of line \(first); ids must be unique")
      }
      for (name, _) in row.values where !columns.contains(name) { columns.append(name) }
      records.append(record)
    }
    self.records = RecordList(records)
    recordBytes = records.reduce(0) { $0 + $1.payload.count } / records.count
    let rest = columns.filter { !Self.fields.contains($0) }
    mapping =
      Self.fields.map { field in
        columns.contains(field) ? "\(field) <- \(field)" : "\(field) <- \(field == "id" ? "the row's number" : "none")"
      }.joined(separator: ", ")
      + (rest.isEmpty
        ? "" : "; \(Quantity.counted(rest.count, "column")) in the payload: \(rest.joined(separator: ", "))")
    question = Self.question(columns, path)
    var hash = StableHash()
    for record in self.records.all { record.withView { hash.add($0) } }
    self.hash = hash.text
  }

  private static let fields = ["id", "name", "group", "score", "modified", "payload"]

  private static func question(_ columns: [String], _ path: String) -> String? {
    for (separator, name) in [(";", "semicolons"), ("\t", "tabs")]
    where path.hasSuffix(".csv") && columns.contains(where: { $0.contains(separator) }) {
      return "is \(path) separated by \(name)? Its header holds some; separate its fields by commas"
    }
    guard !columns.contains(where: fields.contains) else { return nil }
    return "no column of \(path) is called \(fields.joined(separator: ", ")), so that all of it is in the payload; "
      + "if its first line is a header, rename there what is to be searched or grouped by"
  }

  private static func record(_ row: Row, ordinal: Int, hasIDs: Bool, path: String) throws -> Record {
    var record = Record(id: Int64(ordinal), name: "", group: "", score: 0, modified: 0, payload: [])
    var hasID = false
    var rest: [String] = []
    for (name, value) in row.values {
      switch name {
      case "id":
        guard let id = Int64(value) else {
          throw UsageError(
            "\(path), line \(row.line): the id '\(value)' is not an integer; make it one, or rename the column")
        }
        record.id = id
        hasID = true
      case "name": record.name = value
      case "group": record.group = value
      case "score": record.score = try number(value, "score", row, path)
      case "modified": record.modified = try moment(value, row, path)
      case "payload": record.payload = Array(value.utf8)
      default: rest.append("\(name)=\(value)")
      }
    }
    guard hasID || !hasIDs else {
      throw UsageError("\(path), line \(row.line): there is no id, but other rows have one; give every row an id")
    }
    if !rest.isEmpty { record.payload.append(contentsOf: rest.joined(separator: "\n").utf8) }
    return record
  }

  private static func number(_ text: String, _ column: String, _ row: Row, _ path: String) throws -> Double {
    if text.isEmpty { return 0 }
    guard let number = Double(text) else {
      throw UsageError(
        "\(path), line \(row.line): the \(column) '\(text)' is not a number; make it one, or rename the column")
    }
    return number
  }

  private static func moment(_ text: String, _ row: Row, _ path: String) throws -> Double {
    if text.isEmpty { return 0 }
    if let seconds = Double(text) { return seconds }
    if let date = try? Date(text, strategy: .iso8601) { return date.timeIntervalSinceReferenceDate }
    if let date = try? Date(text, strategy: Date.ISO8601FormatStyle().year().month().day()) {
      return date.timeIntervalSinceReferenceDate
    }
    throw UsageError(
      "\(path), line \(row.line): '\(text)' is not a moment; write modified as 2026-01-31T12:00:00Z or in seconds since 2001"
    )
  }

  private static func firstBadLine(_ data: Data) -> Int {
    var line = 0
    for part in data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      line += 1
      if String(validating: part, as: UTF8.self) == nil { break }
    }
    return line
  }

  private static func delimitedRows(_ text: String, _ path: String) throws -> [Row] {
    let rows = try DelimitedText.rows(text, file: path)
    guard let header = rows.first else { return [] }
    if let twice = header.fields.first(where: { name in header.fields.filter { $0 == name }.count > 1 }) {
      throw UsageError("\(path), line \(header.line): column '\(twice)' is there twice; rename one")
    }
    return try rows.dropFirst().map { row in
      guard row.fields.count == header.fields.count else {
        throw UsageError(
          "\(path), line \(row.line): \(row.fields.count) fields where the header has \(header.fields.count); "
            + "add or remove the difference, or quote a comma")
      }
      return Row(line: row.line, values: Array(zip(header.fields, row.fields)).map { (name: $0.0, value: $0.1) })
    }
  }

  private static func objectRows(_ text: String, _ path: String) throws -> [Row] {
    var rows: [Row] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if line.allSatisfy(\.isWhitespace) { continue }
      guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else {
        throw UsageError("\(path), line \(index + 1): this is not a JSON object; write one object on each line")
      }
      // A JSON object has no order of its own.
      let values = object.sorted { $0.key < $1.key }.map { (name: $0.key, value: Self.text($0.value)) }
      rows.append(Row(line: index + 1, values: values))
    }
    return rows
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
