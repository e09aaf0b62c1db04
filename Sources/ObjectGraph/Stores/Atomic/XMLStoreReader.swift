import Foundation

/// Reads what ``XMLFormat`` wrote.
enum XMLStoreReader {
  static func read(_ bytes: UnsafeRawBufferPointer, file: String) throws -> StoreContents {
    var scanner = XMLScanner(bytes, file: file)
    try scanner.open("database")
    var objects = XMLObjectReader(try info(&scanner))
    while try scanner.next() { try objects.readObject(&scanner) }
    try scanner.close()
    try scanner.end()
    return objects.finished()
  }

  /// What stands in the beginning: the model, and the empty store that objects are read into.
  private static func info(_ scanner: inout XMLScanner) throws -> StoreContents {
    try scanner.open("databaseInfo")
    try scanner.open("version")
    let version = XMLScanner.text(try scanner.text())
    guard version == XMLFormat.version else {
      throw scanner.damage("it is of version '\(version)' of the format, which is not known here")
    }
    try scanner.open("UUID")
    guard let identifier = UUID(uuidString: XMLScanner.text(try scanner.text())) else {
      throw scanner.damage("the UUID is none")
    }
    try scanner.open("model")
    guard let archive = XMLText.unescaped(try scanner.text()),
      let model = try? ModelArchive(Array(archive.utf8))?.model()
    else { throw scanner.damage("the model that it was made by cannot be read") }
    var contents = StoreContents(model, identifier: identifier)
    for (place, entity) in model.entities.enumerated() {
      try scanner.open("entity")
      guard XMLScanner.text(try scanner.attribute("name")) == entity.name,
        XMLScanner.text(try scanner.attribute("hash")) == Value.hex(entity.versionHash),
        let lastKey = XMLText.integer(try scanner.attribute("lastKey")), lastKey >= 0
      else { throw scanner.damage("this should be the entity '\(entity.name)' of the model") }
      contents.entities[place].lastKey = lastKey
      try scanner.close()
    }
    try scanner.close()
    return contents
  }
}

/// Reads the objects of a store.
struct XMLObjectReader {
  private typealias Bytes = UnsafeRawBufferPointer

  private var contents: StoreContents
  /// For each entity the greatest key so far, and the rows that stand behind one with a greater key: somebody has
  /// edited the file.
  private var greatest: [Int64]
  private var unordered: [[Int64: Row]]
  private let names: [Names]

  /// How an entity's objects and their columns are called in the file.
  private struct Names {
    let type: [UInt8]
    let columns: [(name: [UInt8], type: [UInt8])]
    /// The many-to-many relationships that start here, and where their pairs are.
    let pairs: [(name: [UInt8], place: Int)]

    init(_ entity: Entity, _ model: ManagedObjectModel) {
      type = Array(entity.name.uppercased().utf8)
      columns =
        entity.attributes.map { (Array($0.name.utf8), Array($0.type.rawValue.utf8)) }
        + entity.toOnes.map { (Array($0.name.utf8), Array(XMLFormat.type(of: $0).utf8)) }
      pairs = model.pairedRelationships.enumerated().filter { $0.element.entity === entity }.map { place, paired in
        (Array(paired.relationship.name.utf8), place)
      }
    }
  }

  /// Starts with an empty store.
  init(_ contents: StoreContents) {
    self.contents = contents
    greatest = contents.entities.map { _ in 0 }
    unordered = contents.entities.map { _ in [:] }
    names = contents.model.entities.map { Names($0, contents.model) }
  }

  /// Reads the object whose tag was opened last.
  mutating func readObject(_ scanner: inout XMLScanner) throws {
    let isDeleted = scanner.isNamed("deleted")
    guard isDeleted || scanner.isNamed("object") else { throw scanner.damage("<object> is missing") }
    let (type, id) = (try scanner.attribute("type"), try scanner.attribute("id"))
    guard let place = names.firstIndex(where: { $0.type.elementsEqual(type) }) else {
      throw scanner.damage("the model has no entity of type '\(XMLScanner.text(type))'")
    }
    guard let key = Self.key(id), contents.entities[place].table[key] == nil, unordered[place][key] == nil else {
      throw scanner.damage("the id '\(XMLScanner.text(id))' cannot be, or is there twice")
    }
    // Somebody may have added it by hand.
    contents.entities[place].lastKey = max(contents.entities[place].lastKey, key)
    if isDeleted {
      while try scanner.next() { try readPairs(&scanner, of: place, from: key) }
      return try scanner.close()
    }
    guard let version = XMLText.integer(try scanner.attribute("version")).flatMap(Row.version) else {
      throw scanner.damage("the version is none")
    }
    let values = try values(&scanner, of: place, key)
    try scanner.close()
    if key > greatest[place] {
      contents.entities[place].table[key] = Row(version: version, values: values)
      greatest[place] = key
    } else {
      unordered[place][key] = Row(version: version, values: values)
    }
  }

  /// All that was read.
  consuming func finished() -> StoreContents {
    for (place, rows) in unordered.enumerated() { contents.entities[place].table.insert(rows) }
    return contents
  }

  private mutating func values(_ scanner: inout XMLScanner, of place: Int, _ key: Int64) throws -> [Value] {
    let columns = names[place].columns
    var values = Array(repeating: Value.null, count: columns.count)
    // They come in their order unless somebody has edited the file.
    var next = 0
    while try scanner.next() {
      let name = try scanner.attribute("name")
      let found =
        next < columns.count && columns[next].name.elementsEqual(name)
        ? next : columns.firstIndex { $0.name.elementsEqual(name) }
      guard let found else {
        try readPairs(&scanner, of: place, from: key)
        continue
      }
      guard columns[found].type.elementsEqual(try scanner.attribute("type")), values[found].isNull else {
        throw scanner.damage("'\(XMLScanner.text(name))' is of another type in the model, or is there twice")
      }
      values[found] = try value(&scanner, of: contents.model.entities[place], at: found)
      next = found + 1
    }
    return values
  }

  private func value(_ scanner: inout XMLScanner, of entity: Entity, at place: Int) throws -> Value {
    let isKey = place >= entity.attributes.count
    let text = isKey ? try scanner.attribute("idrefs") : try scanner.text()
    if isKey { try scanner.close() }
    let value = isKey ? Self.key(text).map { .integer($0) } : Self.value(text, entity.attributes[place].type)
    guard let value, entity.accepts(value, at: place) else {
      let name = "\(entity.name).\(entity.propertyName(at: place))"
      throw scanner.damage("\(name) cannot be '\(XMLScanner.text(text).prefix(80))'")
    }
    return value
  }

  private mutating func readPairs(_ scanner: inout XMLScanner, of place: Int, from source: Int64) throws {
    let name = try scanner.attribute("name")
    guard let pairs = names[place].pairs.first(where: { $0.name.elementsEqual(name) })?.place else {
      throw scanner.damage("the model has no property '\(XMLScanner.text(name))' there")
    }
    for reference in try scanner.attribute("idrefs").split(separator: UInt8(ascii: " ")) {
      guard let destination = Self.key(Bytes(rebasing: reference)) else {
        throw scanner.damage("'\(String(decoding: reference, as: UTF8.self))' is no id")
      }
      contents.pairs[pairs].insert(source, destination)
    }
    try scanner.close()
  }

  private static func value(_ text: Bytes, _ type: AttributeType) -> Value? {
    switch type {
    case .integer16, .integer32, .integer64, .boolean: XMLText.integer(text).map { .integer($0) }
    case .double, .float, .date: Double(XMLScanner.text(text)).map { .double($0) }
    case .string, .uri: XMLText.unescaped(text).map { .string($0) }
    case .binary: Base64.decode(text).map { .binary($0) }
    case .uuid: UUID(uuidString: XMLScanner.text(text))?.stored
    }
  }

  /// The key in `z12`.
  private static func key(_ text: Bytes) -> Int64? {
    guard text.first == UInt8(ascii: "z"), let key = XMLText.integer(Bytes(rebasing: text.dropFirst())), key > 0 else {
      return nil
    }
    return key
  }
}
