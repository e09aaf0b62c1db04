import Foundation

/// A compact format of our own, quick to write and to read.
///
/// | bytes | |
/// |---|---|
/// | 8 | `ObjGraph` |
/// | 4, 4 | 1, the version of the format; 0 |
/// | 8, 8 | the number and the ``Checksum`` of the bytes that follow |
/// | 16 | the store's UUID |
/// | | entities: name, version hash, last key, columns (name, type, destination), rows (key, version, values) |
/// | | pairs: names of both ends, sources with their destinations |
///
/// Numbers have their lowest byte first. Those without a size above, and the numbers of things before them, are
/// varints; keys are told by their distance from the one before.
struct BinaryFormat: AtomicFormat {
  let name = "binary"

  static let magic: StaticString = "ObjGraph"
  static let headerSize = 32
  private static let version: UInt32 = 1

  /// What stands before a value.
  enum Tag {
    static let null: UInt8 = 0
    /// A varint, its sign in the lowest bit.
    static let integer: UInt8 = 1
    /// 8 bytes.
    static let double: UInt8 = 2
    /// A number of bytes, and the bytes.
    static let string: UInt8 = 3
    static let binary: UInt8 = 4
  }

  // MARK: - Writing

  func encode(_ contents: StoreContents, into buffer: inout ByteBuffer, file: String) {
    buffer.append(Self.magic)
    buffer.append(littleEndian: Self.version)
    buffer.append(littleEndian: UInt32(0))
    buffer.append(littleEndian: UInt64(0))
    buffer.append(littleEndian: UInt64(0))
    withUnsafeBytes(of: contents.identifier.uuid) { buffer.append($0) }
    buffer.append(varint: UInt64(contents.entities.count))
    for entity in contents.entities {
      buffer.append(counted: entity.name)
      let hash = [UInt8](contents.versionHashes[entity.name] ?? Data())
      hash.withUnsafeBytes { buffer.append(counted: $0) }
      buffer.append(varint: UInt64(entity.lastKey))
      encode(entity.columns, into: &buffer)
      encode(entity.table, into: &buffer)
    }
    buffer.append(varint: UInt64(contents.links.count))
    for links in contents.links { encode(links, into: &buffer) }
    let checksum = buffer.withBytes { Checksum.of(UnsafeRawBufferPointer(rebasing: $0[Self.headerSize...])) }
    buffer.replace(at: 16, littleEndian: UInt64(buffer.count - Self.headerSize))
    buffer.replace(at: 24, littleEndian: checksum)
  }

  private func encode(_ columns: [StoredColumn], into buffer: inout ByteBuffer) {
    buffer.append(varint: UInt64(columns.count))
    for column in columns {
      buffer.append(counted: column.name)
      switch column.kind {
      case .attribute(let type):
        buffer.append(counted: type.rawValue)
        buffer.append(counted: "")
      case .toOne(let destination):
        buffer.append(counted: Self.toOne)
        buffer.append(counted: destination)
      }
    }
  }

  /// The type of a column that holds another entity's keys.
  private static let toOne = "toOne"

  private func encode(_ table: RowTable, into buffer: inout ByteBuffer) {
    buffer.append(varint: UInt64(table.count))
    var last: Int64 = 0
    for (key, row) in table {
      buffer.append(varint: UInt64(key - last))
      last = key
      buffer.append(varint: UInt64(bitPattern: row.version))
      for value in row.values { encode(value, into: &buffer) }
    }
  }

  @inline(__always)
  private func encode(_ value: Value, into buffer: inout ByteBuffer) {
    switch value {
    case .null: buffer.append(Tag.null)
    case .integer(let number):
      buffer.append(Tag.integer)
      buffer.append(varint: UInt64(bitPattern: (number << 1) ^ (number >> 63)))
    case .double(let number):
      buffer.append(Tag.double)
      buffer.append(littleEndian: number.bitPattern)
    case .string(let text):
      buffer.append(Tag.string)
      buffer.append(counted: text)
    case .binary(let bytes):
      buffer.append(Tag.binary)
      bytes.withUnsafeBytes { buffer.append(counted: $0) }
    }
  }

  private func encode(_ links: StoredLinks, into buffer: inout ByteBuffer) {
    for name in [links.entity, links.relationship, links.destination, links.inverse] { buffer.append(counted: name) }
    let sources = links.destinations.values.sorted()
    buffer.append(varint: UInt64(sources.count))
    var lastSource: Int64 = 0
    for source in sources {
      buffer.append(varint: UInt64(source - lastSource))
      lastSource = source
      let destinations = links.destinations[source]
      buffer.append(varint: UInt64(destinations.count))
      var last: Int64 = 0
      for destination in destinations {
        buffer.append(varint: UInt64(destination - last))
        last = destination
      }
    }
  }

  // MARK: - Reading

  func decode(_ bytes: UnsafeRawBufferPointer, file: String) throws -> StoreContents {
    var reader = ByteReader(bytes, file: file)
    let magic = try reader.bytes(8)
    guard magic.elementsEqual(UnsafeBufferPointer(start: Self.magic.utf8Start, count: 8)) else {
      throw ObjectGraphError.damaged(file: file, "it is not a binary store")
    }
    let version = try reader.littleEndian(UInt32.self)
    guard version == Self.version, try reader.littleEndian(UInt32.self) == 0 else {
      throw ObjectGraphError.damaged(file: file, "it is of version \(version) of the format, which is not known here")
    }
    let count = try reader.littleEndian(UInt64.self)
    let checksum = try reader.littleEndian(UInt64.self)
    guard count == UInt64(reader.rest) else {
      throw ObjectGraphError.damaged(
        file: file, "\(count) bytes should follow the first \(Self.headerSize), and \(reader.rest) do")
    }
    guard checksum == Checksum.of(UnsafeRawBufferPointer(rebasing: bytes[Self.headerSize...])) else {
      throw ObjectGraphError.damaged(file: file, "its checksum is wrong")
    }
    return try contents(&reader)
  }

  private func contents(_ reader: inout ByteReader) throws -> StoreContents {
    let uuid = try reader.bytes(16).loadUnaligned(as: uuid_t.self)
    var contents = StoreContents(identifier: UUID(uuid: uuid), versionHashes: [:], entities: [], links: [])
    for _ in 0..<(try reader.number(of: "entities")) {
      let name = try reader.text()
      contents.versionHashes[name] = Data(try reader.countedBytes())
      guard let lastKey = Int64(exactly: try reader.varint()) else { throw reader.damage("the last key is too great") }
      let columns = try columns(&reader)
      var entity = StoredEntity(name: name, lastKey: lastKey, columns: columns)
      entity.table = try table(&reader, columns: columns.count, lastKey: lastKey)
      contents.entities.append(entity)
    }
    for _ in 0..<(try reader.number(of: "relationships")) { contents.links.append(try links(&reader)) }
    guard reader.rest == 0 else { throw reader.damage("there are \(reader.rest) bytes too many") }
    return contents
  }

  private func columns(_ reader: inout ByteReader) throws -> [StoredColumn] {
    try (0..<(try reader.number(of: "columns"))).map { _ in
      let name = try reader.text()
      let type = try reader.text()
      let destination = try reader.text()
      if type == Self.toOne { return StoredColumn(name: name, kind: .toOne(destination: destination)) }
      guard let type = AttributeType(rawValue: type) else { throw reader.damage("there is no type '\(type)'") }
      return StoredColumn(name: name, kind: .attribute(type))
    }
  }

  private func table(_ reader: inout ByteReader, columns: Int, lastKey: Int64) throws -> RowTable {
    let count = try reader.number(of: "rows")
    var table = RowTable()
    table.reserve(count)
    var key: Int64 = 0
    for _ in 0..<count {
      key = try reader.key(after: key)
      let version = Int64(bitPattern: try reader.varint())
      let values = try [Value](unsafeUninitializedCapacity: columns) { buffer, initialized in
        while initialized < columns {
          (buffer.baseAddress.unsafelyUnwrapped + initialized).initialize(to: try value(&reader))
          initialized += 1
        }
      }
      table[key] = Row(version: version, values: values)
    }
    guard key <= lastKey else { throw reader.damage("there is a key \(key), after \(lastKey), the last one") }
    return table
  }

  @inline(__always)
  private func value(_ reader: inout ByteReader) throws -> Value {
    switch try reader.byte() {
    case Tag.null: return .null
    case Tag.integer:
      let bits = try reader.varint()
      return .integer(Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1))
    case Tag.double: return .double(Double(bitPattern: try reader.littleEndian(UInt64.self)))
    case Tag.string: return .string(try reader.text())
    case Tag.binary: return .binary([UInt8](try reader.countedBytes()))
    case let tag: throw reader.damage("there is no kind \(tag) of values")
    }
  }

  private func links(_ reader: inout ByteReader) throws -> StoredLinks {
    var links = StoredLinks(
      entity: try reader.text(), relationship: try reader.text(), destination: try reader.text(),
      inverse: try reader.text())
    var source: Int64 = 0
    for _ in 0..<(try reader.number(of: "sources")) {
      source = try reader.key(after: source)
      var destination: Int64 = 0
      for _ in 0..<(try reader.number(of: "destinations")) {
        destination = try reader.key(after: destination)
        links.insert(source, destination)
      }
    }
    return links
  }
}
