import Foundation

/// The content of a binary or XML store file. Values are stored by column, because rows would be encoded more slowly.
struct StorePropertyList: Codable {
  /// The text with the checksum, at the beginning of the file. The encoder writes zeros, which ``Seal/close(_:)``
  /// replaces.
  private var checksum = Seal.open
  private let identifier: UUID
  private let model: ModelArchive
  private let tables: [Table]
  private let pairs: [Pairs]

  private struct Table: Codable {
    let entity: String
    let lastKey: Int64
    let keys: [Int64]
    let versions: [Int64]
    let columns: [StoredColumn]
  }

  private struct Pairs: Codable {
    let name: String
    let sources: [Int64]
    let destinations: [Int64]
  }

  init(_ contents: StoreContents) {
    identifier = contents.identifier
    model = ModelArchive(contents.model)
    tables = zip(contents.model.entities, contents.tables).map { entity, table in
      let rows = table.sorted
      return Table(
        entity: entity.name, lastKey: table.lastKey, keys: rows.map(\.key), versions: rows.map(\.row.version),
        columns: entity.columns.indices.map { index in StoredColumn(rows.map { $0.row[index] }) })
    }
    pairs = contents.pairs.sorted { $0.key < $1.key }.map { name, pairs in
      Pairs(name: name, sources: pairs.sorted.map(\.0), destinations: pairs.sorted.map(\.1))
    }
  }

  func encoded(_ format: PropertyListSerialization.PropertyListFormat) throws -> Data {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = format
    var bytes = try encoder.encode(self)
    Seal.close(&bytes)
    return bytes
  }

  /// Decodes the contents of a store from the bytes of its file.
  ///
  /// - Throws: ``ObjectGraphError/damaged(file:_:)`` if the file is damaged, not a store, or of another type or format.
  static func contents(
    of bytes: Data, _ format: PropertyListSerialization.PropertyListFormat, file: String
  ) throws -> StoreContents {
    guard bytes.starts(with: format == .xml ? "<?xml".utf8 : "bplist00".utf8),
      let digits = Seal.digits(in: bytes), digits == Seal.digits(for: bytes),
      let contents = try? PropertyListDecoder().decode(StorePropertyList.self, from: bytes).contents()
    else {
      throw ObjectGraphError.damaged(
        file: file,
        "it is not the \(format == .xml ? "XML" : "binary") property list that a store has written; "
          + "open it as the type it was made with, or restore a backup")
    }
    return contents
  }

  /// Converts this property list to the contents of a store. The data is trusted, because the checksum of the file was
  /// correct.
  private func contents() throws -> StoreContents {
    var contents = StoreContents(try model.model(), identifier: identifier)
    for (entity, table) in zip(contents.model.entities, tables) {
      let columns = zip(table.columns, entity.attributes.map(\.type) + entity.toOnes.map { _ in .integer64 }).map {
        $0.values(table.keys.count, $1)
      }
      contents[entity].lastKey = table.lastKey
      for (row, key) in table.keys.enumerated() {
        contents[entity].rows[key] = Row(version: table.versions[row], count: columns.count) { columns[$0][row] }
      }
    }
    for pairs in pairs {
      for (source, destination) in zip(pairs.sources, pairs.destinations) {
        contents.pairs[pairs.name, default: StoredPairs()].set(source, destination, isThere: true)
      }
    }
    return contents
  }
}

/// The values of one column in the property list of a store file, without null values.
private struct StoredColumn: Codable {
  /// The indices of the rows that have a value in this column. Nil if every row has a value.
  private var rows: [Int]?
  /// The values of a column of integers. Floating-point columns with -0 are stored here as bit patterns, because a
  /// binary property list loses the sign of -0.
  private var integers: [Int64]?
  private var numbers: [Double]?
  private var texts: [String]?
  /// The values of a binary column. A text column is stored here as UTF-8 if a property list would change one of its
  /// texts, such as `$null`.
  private var bytes: [Data]?

  init(_ all: [Value]) {
    let values = all.filter { !$0.isNull }
    if values.count < all.count { rows = all.indices.filter { !all[$0].isNull } }
    switch values.first {
    case .integer: integers = values.compactMap { if case .integer(let number) = $0 { number } else { nil } }
    case .double:
      let all = values.compactMap(\.number)
      let isKept = !all.contains { $0 == 0 && $0.sign == .minus }
      if isKept { numbers = all } else { integers = all.map { Int64(bitPattern: $0.bitPattern) } }
    case .string:
      let all = values.compactMap { if case .string(let text) = $0 { text } else { nil } }
      if all.allSatisfy(\.isKeptByPropertyLists) { texts = all } else { bytes = all.map { Data($0.utf8) } }
    case .binary: bytes = values.compactMap { if case .binary(let bytes) = $0 { Data(bytes) } else { nil } }
    case .null, nil: break
    }
  }

  func values(_ count: Int, _ type: AttributeType) -> [Value] {
    let isFraction = type.kind == .date || type == .double || type == .float
    let given =
      integers?.map { isFraction ? .double(Double(bitPattern: UInt64(bitPattern: $0))) : Value.integer($0) } ?? numbers?
      .map { .double($0) } ?? texts?.map { .string($0) }
      ?? bytes?.map { type.kind == .text ? .string(String(decoding: $0, as: UTF8.self)) : .binary([UInt8]($0)) } ?? []
    guard let rows else { return given }
    var values = [Value](repeating: .null, count: count)
    for (row, value) in zip(rows, given) { values[row] = value }
    return values
  }
}

extension String {
  /// Whether this text is unchanged, byte for byte, after it was written to a property list and read again.
  fileprivate var isKeptByPropertyLists: Bool {
    // Foundation's coders write nil as "$null". The binary coder merges texts that differ only in their Unicode form.
    self != "$null" && (utf8.allSatisfy { $0 < 0x80 } || precomposedStringWithCanonicalMapping.utf8.elementsEqual(utf8))
      && unicodeScalars.allSatisfy { scalar in
        let code = scalar.value
        return code >= 0x20 && code != 0xfeff && code & 0xfffe != 0xfffe || code == 9 || code == 10
      }
  }
}

/// The checksum of a store file, checked before decoding, because Foundation's decoder does not detect damage.
enum Seal {
  static let open = mark + String(repeating: "0", count: 16)
  private static let mark = "ObjectGraph store 3, checksum "

  private static func digitRange(in bytes: Data) -> Range<Int>? {
    let end = bytes.prefix(1_024).range(of: Data(mark.utf8))?.upperBound
    return end.flatMap { $0 + 16 <= bytes.count ? $0..<$0 + 16 : nil }
  }

  static func digits(in bytes: Data) -> Data? { digitRange(in: bytes).map { Data(bytes[$0]) } }

  /// Computes a store file's checksum, 16 hexadecimal digits, from all bytes except the stored checksum. Nil if the
  /// file contains no checksum.
  static func digits(for bytes: Data) -> Data? {
    digitRange(in: bytes).map { range in
      let checksum = UInt64(hashing: bytes[..<range.lowerBound]) ^ UInt64(hashing: bytes[range.upperBound...])
      return Data((open + String(checksum, radix: 16)).utf8.suffix(16))
    }
  }

  static func close(_ bytes: inout Data) {
    if let range = digitRange(in: bytes), let digits = digits(for: bytes) { bytes.replaceSubrange(range, with: digits) }
  }
}
