import Foundation

/// A compact format of our own, quick to write and to read.
///
/// | bytes | |
/// |---|---|
/// | 8 | `ObjGraph` |
/// | 4, 4 | 1, the version of the format; 0 |
/// | 8, 8 | the number and the ``Checksum`` of the bytes that follow |
/// | 16 | the store's UUID |
/// | | the model, as ``ModelArchive`` writes it |
/// | | for each of its entities: version hash, last key, rows (key, version, values) |
/// | | for each many-to-many relationship: the sources with their destinations |
///
/// Numbers have their lowest byte first. Those without a size above are varints, and so are the numbers of things,
/// which stand before them. Keys are told by their distance from the one before.
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

  func encode(_ contents: StoreContents, into buffer: inout ByteBuffer, file: String) throws {
    buffer.append(Self.magic)
    buffer.append(littleEndian: Self.version)
    buffer.append(littleEndian: UInt32(0))
    buffer.append(littleEndian: UInt64(0))
    buffer.append(littleEndian: UInt64(0))
    withUnsafeBytes(of: contents.identifier.uuid) { buffer.append($0) }
    try ModelArchive(contents.model).encoded().withUnsafeBytes { buffer.append(counted: $0) }
    for (entity, stored) in zip(contents.model.entities, contents.entities) {
      [UInt8](entity.versionHash).withUnsafeBytes { buffer.append(counted: $0) }
      buffer.append(varint: UInt64(stored.lastKey))
      encode(stored.table, into: &buffer)
    }
    for pairs in contents.pairs { encode(pairs, into: &buffer) }
    let checksum = buffer.withBytes { Checksum.of(UnsafeRawBufferPointer(rebasing: $0[Self.headerSize...])) }
    buffer.replace(at: 16, littleEndian: UInt64(buffer.count - Self.headerSize))
    buffer.replace(at: 24, littleEndian: checksum)
  }

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

  private func encode(_ pairs: StoredPairs, into buffer: inout ByteBuffer) {
    let sources = pairs.destinations.values.sorted()
    buffer.append(varint: UInt64(sources.count))
    var lastSource: Int64 = 0
    for source in sources {
      buffer.append(varint: UInt64(source - lastSource))
      lastSource = source
      let destinations = pairs.destinations[source]
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
    let identifier = UUID(uuid: try reader.bytes(16).loadUnaligned(as: uuid_t.self))
    guard let model = try? ModelArchive([UInt8](try reader.countedBytes()))?.model() else {
      throw reader.damage("the model that it was made by cannot be read")
    }
    var contents = StoreContents(model, identifier: identifier)
    for (place, entity) in model.entities.enumerated() {
      guard try reader.countedBytes().elementsEqual(entity.versionHash) else {
        throw reader.damage("the version hash of \(entity.name) is not that of its model")
      }
      guard let lastKey = Int64(exactly: try reader.varint()) else { throw reader.damage("the last key is too great") }
      contents.entities[place].lastKey = lastKey
      contents.entities[place].table = try table(&reader, of: entity, lastKey: lastKey)
    }
    for place in contents.pairs.indices { contents.pairs[place] = try pairs(&reader) }
    guard reader.rest == 0 else { throw reader.damage("there are \(reader.rest) bytes too many") }
    return contents
  }

  private func table(_ reader: inout ByteReader, of entity: Entity, lastKey: Int64) throws -> RowTable {
    let columns = entity.columns.count
    let count = try reader.number(of: "rows")
    var table = RowTable()
    table.reserve(count)
    var key: Int64 = 0
    for _ in 0..<count {
      key = try reader.key(after: key)
      guard let version = Row.version(Int64(bitPattern: try reader.varint())) else {
        throw reader.damage("\(entity.name) \(key) has no version")
      }
      let values = try [Value](unsafeUninitializedCapacity: columns) { buffer, initialized in
        while initialized < columns {
          let value = try value(&reader)
          guard entity.accepts(value, at: initialized) else {
            let name = entity.propertyName(at: initialized)
            throw reader.damage("\(name) of \(entity.name) \(key) cannot be \(value)")
          }
          (buffer.baseAddress.unsafelyUnwrapped + initialized).initialize(to: value)
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

  private func pairs(_ reader: inout ByteReader) throws -> StoredPairs {
    var pairs = StoredPairs()
    var source: Int64 = 0
    for _ in 0..<(try reader.number(of: "sources")) {
      source = try reader.key(after: source)
      var destination: Int64 = 0
      for _ in 0..<(try reader.number(of: "destinations")) {
        destination = try reader.key(after: destination)
        pairs.insert(source, destination)
      }
    }
    return pairs
  }
}
