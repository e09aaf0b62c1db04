import Foundation

/// Reads what ``XMLFormat`` wrote.
struct XMLStoreReader {
  private typealias Bytes = UnsafeRawBufferPointer

  private var scanner: XMLScanner
  private var contents = StoreContents(
    identifier: UUID(uuid: UUID_NULL), versionHashes: [:], entities: [], links: [])
  /// How the entities' objects are called, in the entities' order, and what each of their columns is called.
  private var types: [[UInt8]] = []
  private var columns: [[(name: [UInt8], type: [UInt8])]] = []
  private static let UUID_NULL: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)

  init(_ bytes: UnsafeRawBufferPointer, file: String) { scanner = XMLScanner(bytes, file: file) }

  mutating func read() throws -> StoreContents {
    try scanner.open("database")
    try readInfo()
    while try scanner.next() { try readObject() }
    try scanner.close()
    try scanner.end()
    return contents
  }

  // MARK: - What there is

  private mutating func readInfo() throws {
    try scanner.open("databaseInfo")
    try scanner.open("version")
    let version = XMLScanner.text(try scanner.text())
    guard version == XMLFormat.version else {
      throw scanner.damage("it is of version '\(version)' of the format, which is not known here")
    }
    try scanner.open("UUID")
    guard let uuid = UUID(uuidString: XMLScanner.text(try scanner.text())) else {
      throw scanner.damage("the UUID is none")
    }
    contents.identifier = uuid
    while try scanner.next() { try readEntity() }
    try scanner.close()
    types = contents.entities.map { Array($0.name.uppercased().utf8) }
    columns = contents.entities.map { entity in
      entity.columns.map { column in
        switch column.kind {
        case .attribute(let type): (Array(column.name.utf8), Array(type.rawValue.utf8))
        case .toOne: (Array(column.name.utf8), Array("1/1".utf8))
        }
      }
    }
  }

  private mutating func readEntity() throws {
    guard scanner.isNamed("entity") else { throw scanner.damage("<entity> is missing") }
    let name = XMLScanner.text(try scanner.attribute("name"))
    guard let hash = Hexadecimal.bytes(XMLScanner.text(try scanner.attribute("hash"))),
      let lastKey = Self.integer(try scanner.attribute("lastKey")), lastKey >= 0,
      !contents.entities.contains(where: { $0.name.uppercased() == name.uppercased() })
    else { throw scanner.damage("the entity '\(name)' cannot be") }
    contents.versionHashes[name] = Data(hash)
    var entity = StoredEntity(name: name, lastKey: lastKey, columns: [])
    while try scanner.next() {
      let name = XMLScanner.text(try scanner.attribute("name"))
      let type = XMLScanner.text(try scanner.attribute("type"))
      if scanner.isNamed("attribute"), let type = AttributeType(rawValue: type) {
        entity.columns.append(StoredColumn(name: name, kind: .attribute(type)))
      } else if scanner.isNamed("relationship"), type == "1/1" {
        let destination = XMLScanner.text(try scanner.attribute("destination"))
        entity.columns.append(StoredColumn(name: name, kind: .toOne(destination: destination)))
      } else if scanner.isNamed("relationship"), type == "0/0" {
        contents.links.append(
          StoredLinks(
            entity: entity.name, relationship: name,
            destination: XMLScanner.text(try scanner.attribute("destination")),
            inverse: XMLScanner.text(try scanner.attribute("inverse"))))
      } else {
        throw scanner.damage("\(entity.name).\(name) cannot be of type '\(type)'")
      }
      try scanner.close()
    }
    try scanner.close()
    contents.entities.append(entity)
  }

  // MARK: - Objects

  private mutating func readObject() throws {
    let isDeleted = scanner.isNamed("deleted")
    guard isDeleted || scanner.isNamed("object") else { throw scanner.damage("<object> is missing") }
    let type = try scanner.attribute("type")
    guard let place = types.firstIndex(where: { $0.elementsEqual(type) }) else {
      throw scanner.damage("there is no entity of type '\(XMLScanner.text(type))'")
    }
    guard let key = Self.key(try scanner.attribute("id")), contents.entities[place].table[key] == nil else {
      throw scanner.damage("the id '\(XMLScanner.text(try scanner.attribute("id")))' is wrong, or is there twice")
    }
    // Somebody may have added it by hand.
    contents.entities[place].lastKey = max(contents.entities[place].lastKey, key)
    if isDeleted {
      while try scanner.next() { try readLinks(of: place, from: key) }
      return try scanner.close()
    }
    guard let version = Self.integer(try scanner.attribute("version")), version > 0 else {
      throw scanner.damage("the version is none")
    }
    var values = Array(repeating: Value.null, count: columns[place].count)
    var next = 0
    while try scanner.next() {
      guard let column = try column(of: place, from: next) else {
        try readLinks(of: place, from: key)
        continue
      }
      next = column + 1
      guard values[column].isNull else { throw scanner.damage("a property is there twice") }
      values[column] = try value(contents.entities[place].columns[column])
    }
    try scanner.close()
    contents.entities[place].table[key] = Row(version: version, values: values)
  }

  /// The column that the open element tells of, or nil for a relationship that has none. Columns come in their order.
  private func column(of place: Int, from next: Int) throws -> Int? {
    let name = try scanner.attribute("name")
    let columns = columns[place]
    let found =
      next < columns.count && columns[next].name.elementsEqual(name)
      ? next : columns.firstIndex { $0.name.elementsEqual(name) }
    guard let found else {
      guard scanner.isNamed("relationship") else {
        throw scanner.damage("there is no attribute '\(XMLScanner.text(name))'")
      }
      return nil
    }
    guard columns[found].type.elementsEqual(try scanner.attribute("type")) else {
      throw scanner.damage("'\(XMLScanner.text(name))' is of another type")
    }
    return found
  }

  private mutating func value(_ column: StoredColumn) throws -> Value {
    guard case .attribute(let type) = column.kind else {
      let text = try scanner.attribute("idrefs")
      try scanner.close()
      if text.isEmpty { return .null }
      guard let key = Self.key(text) else { throw scanner.damage("'\(XMLScanner.text(text))' is no id") }
      return .integer(key)
    }
    let text = try scanner.text()
    guard let value = Self.value(text, type), column.accepts(value) else {
      throw scanner.damage("\(column.name) cannot be '\(XMLScanner.text(text).prefix(80))'")
    }
    return value
  }

  private mutating func readLinks(of place: Int, from source: Int64) throws {
    let name = XMLScanner.text(try scanner.attribute("name"))
    let entity = contents.entities[place].name
    guard let links = contents.links.firstIndex(where: { $0.entity == entity && $0.relationship == name }) else {
      throw scanner.damage("there is no relationship '\(name)'")
    }
    for reference in try scanner.attribute("idrefs").split(separator: UInt8(ascii: " ")) {
      guard let destination = Self.key(Bytes(rebasing: reference)) else {
        throw scanner.damage("'\(String(decoding: reference, as: UTF8.self))' is no id")
      }
      contents.links[links].insert(source, destination)
    }
    try scanner.close()
  }

  // MARK: - Values

  private static func value(_ text: Bytes, _ type: AttributeType) -> Value? {
    switch type {
    case .integer16, .integer32, .integer64, .boolean: integer(text).map { .integer($0) }
    case .double, .float, .date: Double(XMLScanner.text(text)).map { .double($0) }
    case .string, .uri: XMLText.unescaped(text).map { .string($0) }
    case .binary: Base64.decode(text).map { .binary($0) }
    case .uuid: UUID(uuidString: XMLScanner.text(text))?.stored
    }
  }

  /// The key in `z12`.
  private static func key(_ text: Bytes) -> Int64? {
    guard text.first == UInt8(ascii: "z"), let key = integer(Bytes(rebasing: text.dropFirst())), key > 0 else {
      return nil
    }
    return key
  }

  private static func integer(_ text: Bytes) -> Int64? {
    let isNegative = text.first == UInt8(ascii: "-")
    let digits = text.dropFirst(isNegative ? 1 : 0)
    guard !digits.isEmpty else { return nil }
    var number: Int64 = 0
    for digit in digits {
      guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
      let (product, isTooGreat) = number.multipliedReportingOverflow(by: 10)
      let value = Int64(digit - UInt8(ascii: "0"))
      // The least number has no positive counterpart.
      let (sum, isOver) =
        isNegative ? product.subtractingReportingOverflow(value) : product.addingReportingOverflow(value)
      guard !isTooGreat, !isOver else { return nil }
      number = sum
    }
    return number
  }
}
