import Foundation
import StorageContract

/// The user's records from a CSV or JSON-lines file. Keys are the integers of column `id`, or row numbers. Unassigned
/// columns go into the payload, as lines `column=value`.
public struct Dataset: RecordSource {
  private let records: RecordList
  /// The mean length of the payloads in bytes, rounded down.
  public let recordBytes: Int
  /// The assignment of columns to record fields as a message, such as `name <- title, score <- none`.
  public let mapping: String
  /// A hint to use the option `--map`, shown if all columns of the file go into the payload; otherwise nil.
  public let question: String?
  /// A hash of all records, to detect changes since an earlier run.
  public let hash: String

  public var count: Int { records.count }
  public func record(at index: Int) -> Record { records.record(at: index) }
  public func key(at index: Int) -> Int64 { records.key(at: index) }

  /// Reads the records from a CSV or JSON-lines file.
  ///
  /// - Parameter map: The values of the option `--map`, such as `name=title` (field `name` from column `title`).
  /// - Throws: ``UsageError`` if the file cannot be read, a value is invalid, or `map` lacks or misnames a column.
  public init(path: String, map: [String] = []) throws {
    guard let data = FileManager.default.contents(atPath: path) else {
      let isDirectory = (try? FileManager.default.contentsOfDirectory(atPath: path)) != nil
      let exists = FileManager.default.fileExists(atPath: path)
      let what = isDirectory ? "is a directory" : exists ? "cannot be read" : "does not exist"
      throw UsageError("the data set \(path) \(what); give --dataset a readable .csv or .jsonl file")
    }
    guard !data.isEmpty else {
      throw UsageError("the data set \(path) is empty; it needs at least one row (and, in a .csv, a header)")
    }
    let (shape, text) = try DatasetShape.read(data, path: path)
    let table = try DatasetTable(text, shape: shape, path: path)
    let columns = try ColumnMap(table.columns, map: map, path: path)
    let taken = Set(columns.columns.values)
    let reader = RecordReader(
      table: table, map: columns, path: path,
      rest: table.columns.indices.filter { !taken.contains($0) }.map { ($0, "\(table.columns[$0])=") },
      hasUUIDs: columns.columns["id"].flatMap { table.rows.first?.values[$0] }.flatMap(UUID.init) != nil)
    let records = try reader.records()
    self.records = RecordList(records)
    recordBytes = records.reduce(0) { $0 + $1.payload.count } / records.count
    let rest = reader.rest.map { table.columns[$0.column].visible }
    mapping =
      ColumnMap.fields.compactMap { field in
        let column = columns.columns[field].map { table.columns[$0].visible }
        // A payload made of the remaining columns is listed below, not here.
        if field == "payload", column == nil, !rest.isEmpty { return nil }
        guard field == "id" else { return "\(field) <- \(column ?? "none")" }
        return
          "id <- \(column.map { reader.hasUUIDs ? "the row's number, for the UUID in \($0)" : $0 } ?? "the row's number")"
      }.joined(separator: ", ")
      + (rest.isEmpty
        ? "" : "; \(Quantity.counted(rest.count, "column")) in the payload: \(rest.joined(separator: ", "))")
    question =
      columns.columns.isEmpty
      ? "no column of \(path) is called \(ColumnMap.fields.joined(separator: ", ")), so that all of it is in the payload; "
        + "if its first line is a header, name with --map what is to be searched or grouped by, such as --map name=COLUMN"
      : nil
    hash = StableHash(of: self.records.all).text
  }
}

private struct RecordReader {
  let table: DatasetTable
  let map: ColumnMap
  let path: String
  /// The columns that go into the payload, each with the beginning of its line, such as `kind=`.
  let rest: [(column: Int, prefix: String)]
  /// Whether the ids in the data file are UUIDs instead of integers, judged by the first row.
  let hasUUIDs: Bool

  func records() throws -> [Record] {
    var records: [Record] = []
    records.reserveCapacity(table.rows.count)
    var lines: [String: Int] = [:]
    var numbers: [(row: Int, value: Double)] = []
    for (ordinal, row) in table.rows.enumerated() {
      var record = Record(id: Int64(ordinal) + 1, name: "", group: "", score: 0, modified: 0, payload: [])
      if map.columns["id"] != nil {
        let id = try id(row)
        if !hasUUIDs { record.id = Int64(id) ?? 0 }
        if let first = lines.updateValue(row.line, forKey: id) {
          throw UsageError("\(location(row.line, "id")): id \(id) is also on line \(first); give each row its own id")
        }
      }
      record.name = value("name", row) ?? ""
      record.group = value("group", row) ?? ""
      if let text = value("score", row), !text.isEmpty {
        record.score = try read(text, "score", row) { try PlainNumber.read($0) }
      }
      if let text = value("modified", row), !text.isEmpty {
        if let number = try? PlainNumber.read(text) {
          numbers.append((ordinal, number))
        } else {
          record.modified = try read(text, "modified", row) { try ISODate.read($0) }
        }
      }
      record.payload = payload(row)
      records.append(record)
    }
    guard !numbers.isEmpty, let column = map.columns["modified"] else { return records }
    let unit =
      try map.unit
      ?? .detect(in: numbers, column: table.columns[column], location: { location(table.rows[$0].line, "modified") })
    for number in numbers where number.value != 0 {
      records[number.row].modified = unit.seconds(number.value)
    }
    return records
  }

  private func value(_ field: String, _ row: DatasetTable.Row) -> String? {
    map.columns[field].flatMap { row.values[$0] }
  }

  private func location(_ line: Int, _ field: String) -> String {
    let column = map.columns[field].map { ", column '\(table.columns[$0].visible)'" } ?? ""
    return "\(path), line \(line)\(column)"
  }

  private func read<Value>(
    _ text: String, _ field: String, _ row: DatasetTable.Row, _ parse: (String) throws -> Value
  ) throws -> Value {
    do {
      return try parse(text)
    } catch let error as UsageError {
      throw UsageError("\(location(row.line, field)): \(error.description)")
    }
  }

  private func id(_ row: DatasetTable.Row) throws -> String {
    guard let text = value("id", row), !text.isEmpty else {
      throw UsageError(
        "\(location(row.line, "id")): the row has no id, although this column gives the ids; "
          + "give every row one, or number the rows with --map id=")
    }
    guard let id = hasUUIDs ? UUID(uuidString: text)?.uuidString : Int64(text).map(String.init) else {
      let kind = hasUUIDs ? "a UUID like those before it" : "an integer"
      throw UsageError(
        "\(location(row.line, "id")): the id '\(text.visible)' is not \(kind); make it one, or number the rows with --map id="
      )
    }
    return id
  }

  private func payload(_ row: DatasetTable.Row) -> [UInt8] {
    var bytes = Array((value("payload", row) ?? "").utf8)
    for (column, prefix) in rest {
      guard let value = row.values[column] else { continue }
      if !bytes.isEmpty { bytes.append(UInt8(ascii: "\n")) }
      bytes.append(contentsOf: prefix.utf8)
      bytes.append(contentsOf: value.utf8)
    }
    return bytes
  }
}
