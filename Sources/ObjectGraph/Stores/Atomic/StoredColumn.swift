import Foundation

/// The values of a column in a property list, by their kinds; a row without a value is in none of the lists.
struct StoredColumn: Codable {
  private var integers = Cells<Int64>()
  private var numbers = Cells<Double>()
  private var texts = Cells<String>()
  /// Bytes, and what Foundation's coders would not keep: some texts, and -0.
  private var bytes = Cells<Data>()

  private struct Cells<Element: Codable>: Codable {
    /// The rows that have the values; none if all rows have one.
    var rows: [Int] = []
    var values: [Element] = []

    mutating func append(_ value: Element, _ row: Int) {
      // The rows before have one each.
      if rows.isEmpty, row > values.count { rows = Array(values.indices) }
      if !rows.isEmpty || row > values.count { rows.append(row) }
      values.append(value)
    }
  }

  /// The values at a place of a table's rows.
  init(_ table: RowTable, _ place: Int) {
    for (number, (_, row)) in table.enumerated() {
      switch row.values[place] {
      case .null: break
      case .integer(let value): integers.append(value, number)
      // The binary encoder writes 0 for -0 where both are there.
      case .double(let value) where value == 0 && value.sign == .minus: bytes.append(Data(), number)
      case .double(let value): numbers.append(value, number)
      case .string(let text) where !text.isKeptByPropertyLists: bytes.append(Data(text.utf8), number)
      case .string(let text): texts.append(text, number)
      case .binary(let value): bytes.append(Data(value), number)
      }
    }
  }

  /// The values of so many rows.
  ///
  /// - Throws: ``StoreDamage`` for what a column of an entity cannot hold.
  func values(_ count: Int, of entity: Entity, at place: Int) throws -> [Value] {
    let attribute = place < entity.attributes.count ? entity.attributes[place].type : nil
    var values = [Value](repeating: .null, count: count)
    func fill<Element>(_ cells: Cells<Element>, _ value: (Element) -> Value?) throws {
      let rows = cells.rows.isEmpty ? Array(cells.values.indices) : cells.rows
      guard rows.count == cells.values.count else { throw StoreDamage("\(entity.name) lacks values or rows") }
      for (row, cell) in zip(rows, cells.values) {
        guard values.indices.contains(row), values[row].isNull, let value = value(cell), attribute.accepts(value) else {
          throw StoreDamage("\(entity.name).\(entity.propertyName(at: place)) cannot be \(cell)")
        }
        values[row] = value
      }
    }
    try fill(integers) { .integer($0) }
    try fill(numbers) { .double($0) }
    try fill(texts) { .string($0) }
    try fill(bytes) { bytes in
      switch attribute {
      case .string, .uri: String(validating: bytes, as: UTF8.self).map { .string($0) }
      case .double, .float, .date: .double(-0.0)
      default: .binary([UInt8](bytes))
      }
    }
    return values
  }
}

extension AttributeType? {
  /// Whether a column of this type can hold the value; one without a type holds keys.
  fileprivate func accepts(_ value: Value) -> Bool {
    switch (self, value) {
    case (nil, .integer(let key)): key > 0
    // A text that is no URL is read nevertheless.
    case (.uri, .string): true
    default: self?.accepts(value) ?? false
    }
  }
}

extension String {
  /// Whether property lists keep the text byte for byte, and XML can hold it.
  fileprivate var isKeptByPropertyLists: Bool {
    // Foundation's coders write nil as this text.
    guard self != "$null" else { return false }
    if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f || $0 == 9 || $0 == 10 }) { return true }
    let isXML = unicodeScalars.allSatisfy { scalar in
      let code = scalar.value
      return code >= 0x20 && code != 0xfeff && code & 0xfffe != 0xfffe || code == 9 || code == 10
    }
    // Of texts that differ in their spelling only, the binary encoder writes one for all.
    return isXML && precomposedStringWithCanonicalMapping.utf8.elementsEqual(utf8)
  }
}
