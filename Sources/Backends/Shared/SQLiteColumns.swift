import StorageContract

/// The columns of a table: `plain` has one column per field, `json` one JSON column for all fields except the key and
/// the payload.
enum SQLiteColumns: Sendable {
  case plain, json

  static let option = OptionSpec(
    "columns", ["plain", "json"],
    help: "a column for each field, or a text column with a JSON object of all fields but key and payload")

  init(_ options: Options) { self = options[Self.option] == "json" ? .json : .plain }

  /// The limitation of a column layout. Separate columns (`plain`) return -0 as 0. With a JSON column (`json`), queries
  /// cut texts at the first NUL character.
  var deviation: Deviation {
    self == .plain
      ? SQLiteRecordSchema.minusZero
      : Deviation(
        .cutTexts, "Queries see a text only up to its first NUL character, since json_extract cuts it there.")
  }

  var settings: String { self == .plain ? "" : " columns=json" }

  /// The names of the table's columns, separated by commas, for an SQL statement that reads or writes rows.
  var names: String { self == .plain ? #"id, name, "group", score, modified, payload"# : "id, fields, payload" }

  var count: Int { self == .plain ? 6 : 3 }

  /// The result columns of a SELECT that copies only the key and the payload of records to another table. Other fields
  /// are empty or 0.
  var valuesOfPart: String {
    self == .plain
      ? "id, '', '', 0, 0, payload" : #"id, '{"name":"","group":"","score":0.0,"modified":0.0}', payload"#
  }

  /// Returns `clause` with json_extract calls in place of column names if fields are stored as JSON. `clause` must
  /// contain no literals and no table names.
  func sql(_ clause: String) -> String {
    guard self == .json else { return clause }
    return [RecordField.name, .group, .score, .modified].reduce(clause) {
      $0.replacing($1.column, with: "json_extract(fields, '$.\($1.rawValue)')")
    }
  }
}

/// The fields of a record as a JSON object, except key and payload. NaN is written as null. An infinity is written as a
/// number that is too large for a Double.
struct JSONFields {
  let name: String
  let group: String
  let score: Double
  let modified: Double

  static func text(of record: Record) -> [UInt8] {
    var json: [UInt8] = []
    json.reserveCapacity(96 + record.name.utf8.count + record.group.utf8.count)
    json += #"{"name":""#.utf8
    append(record.name, to: &json)
    json += #"","group":""#.utf8
    append(record.group, to: &json)
    json += #"","score":\#(text(of: record.score)),"modified":\#(text(of: record.modified))}"#.utf8
    return json
  }

  private static func append(_ text: String, to json: inout [UInt8]) {
    for byte in text.utf8 {
      switch byte {
      case quote, backslash: json += [backslash, byte]
      case 0..<16: json += "\\u000\(String(byte, radix: 16))".utf8
      case 16..<32: json += "\\u00\(String(byte, radix: 16))".utf8
      default: json.append(byte)
      }
    }
  }

  private static func text(of number: Double) -> String {
    number.isNaN ? "null" : number.isInfinite ? number < 0 ? "-9e999" : "9e999" : number.description
  }

  private static let (quote, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))

  /// Parses exactly the JSON format that ``text(of:)`` writes. Throws ``StoreError/damaged(_:)`` for another format.
  init(_ json: UnsafeRawBufferPointer) throws {
    var rest = json[...]
    name = try Self.text(after: #"{"name":""#, &rest)
    group = try Self.text(after: #","group":""#, &rest)
    score = try Self.number(after: #","score":"#, &rest)
    modified = try Self.number(after: #","modified":"#, &rest)
    try Self.skip("}", &rest)
  }

  private static func skip(_ token: String, _ rest: inout Slice<UnsafeRawBufferPointer>) throws {
    guard rest.starts(with: token.utf8) else {
      throw StoreError.damaged("store.sqlite: the JSON text of a row is not that of a record")
    }
    rest = rest.dropFirst(token.utf8.count)
  }

  private static func text(after token: String, _ rest: inout Slice<UnsafeRawBufferPointer>) throws -> String {
    try skip(token, &rest)
    let plain = rest.prefix { $0 != quote && $0 != backslash }
    rest = rest.dropFirst(plain.count)
    var bytes: [UInt8] = []
    if rest.first == backslash { bytes += plain }
    while let byte = rest.first, byte != quote {
      let escape = rest.prefix(byte == backslash ? 6 : 1)
      let isNumber = escape.dropFirst().first == UInt8(ascii: "u")
      let number = isNumber ? UInt8(String(decoding: escape.dropFirst(2), as: UTF8.self), radix: 16) : nil
      bytes.append(number ?? escape.prefix(2).last ?? byte)
      rest = rest.dropFirst(isNumber ? 6 : min(2, escape.count))
    }
    try skip("\"", &rest)
    return bytes.isEmpty ? String(decoding: plain, as: UTF8.self) : String(decoding: bytes, as: UTF8.self)
  }

  private static func number(after token: String, _ rest: inout Slice<UnsafeRawBufferPointer>) throws -> Double {
    try skip(token, &rest)
    let digits = String(decoding: rest.prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "}") }, as: UTF8.self)
    rest = rest.dropFirst(digits.utf8.count)
    if digits == "null" { return .nan }
    guard let number = Double(digits) else {
      throw StoreError.damaged("store.sqlite: the JSON text of a row has '\(digits)' in place of a number")
    }
    return number
  }
}
