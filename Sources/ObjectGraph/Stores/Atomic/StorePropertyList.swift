import Foundation

/// What the file of a binary or an XML store holds, as a property list. Only the encoding tells the two types apart.
///
/// A table is a list of keys, one of versions, and lists of the values of each column: Foundation encodes lists several
/// times as fast as a dictionary for each row.
struct StorePropertyList: Codable {
  /// The ``Seal``, in front of all other values in both encodings.
  private var checksum = Seal.open
  private var format = Self.currentFormat
  private let identifier: UUID
  private let model: ModelArchive
  private let tables: [Table]
  /// The sources and the destinations of each many-to-many relationship.
  private let pairs: [[[Int64]]]

  private static let currentFormat = 2

  private struct Table: Codable {
    let entity: String
    let versionHash: Data
    let lastKey: Int64
    let keys: [Int64]
    let versions: [Int64]
    let columns: [StoredColumn]
  }

  /// Encodes what a store holds.
  init(_ contents: StoreContents) {
    identifier = contents.identifier
    model = ModelArchive(contents.model)
    tables = zip(contents.model.entities, contents.entities).map { entity, stored in
      Table(
        entity: entity.name, versionHash: entity.versionHash, lastKey: stored.lastKey, keys: stored.table.map(\.key),
        versions: stored.table.map(\.row.version),
        columns: entity.columns.indices.map { StoredColumn(stored.table, $0) })
    }
    pairs = contents.pairs.map { pairs in
      let sorted = pairs.sorted
      return [sorted.map(\.0), sorted.map(\.1)]
    }
  }

  /// The bytes of the file.
  func encoded(_ format: PropertyListSerialization.PropertyListFormat) throws -> Data {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = format
    return try Seal.close(try encoder.encode(self))
  }

  /// The contents of a store from the bytes of its file.
  ///
  /// - Throws: ``ObjectGraphError/damaged(file:_:)``.
  static func contents(
    of bytes: Data, _ format: PropertyListSerialization.PropertyListFormat, file: String
  ) throws -> StoreContents {
    do {
      let isXML = format == .xml
      if bytes.starts(with: "ObjGraph".utf8) || bytes.prefix(80).range(of: Data("<database>".utf8)) != nil {
        throw StoreDamage("an earlier version has written it, in a format that is not read any more")
      }
      guard bytes.starts(with: isXML ? "<?xml".utf8 : "bplist00".utf8), try Seal.isWhole(bytes) else {
        throw StoreDamage("it is not the \(isXML ? "XML" : "binary") property list of a store")
      }
      return try PropertyListDecoder().decode(StorePropertyList.self, from: bytes).contents()
    } catch let damage as StoreDamage {
      throw ObjectGraphError.damaged(file: file, damage.sentence)
    } catch {
      throw ObjectGraphError.damaged(file: file, "its property list is not that of a store")
    }
  }

  private func contents() throws -> StoreContents {
    guard format == Self.currentFormat, model.format <= ModelArchive.currentFormat else {
      throw StoreDamage("it is of version \(format) of the format, which is not known here")
    }
    guard let model = try? model.model(), model.entities.count == tables.count,
      model.pairedRelationships.count == pairs.count
    else { throw StoreDamage("the model that it was made by cannot be read") }
    var contents = StoreContents(model, identifier: identifier)
    for (place, entity) in model.entities.enumerated() {
      contents.entities[place] = StoredEntity(lastKey: tables[place].lastKey, table: try rows(of: entity))
    }
    for (place, pairs) in pairs.enumerated() {
      guard pairs.count == 2, pairs[0].count == pairs[1].count else { throw StoreDamage("a pair lacks an end") }
      for (source, destination) in zip(pairs[0], pairs[1]) {
        contents.pairs[place].set(source, destination, isThere: true)
      }
    }
    return contents
  }

  private func rows(of entity: Entity) throws -> RowTable {
    let stored = tables[entity.number - 1]
    let keys = stored.keys
    guard stored.versionHash == entity.versionHash, stored.columns.count == entity.columns.count,
      stored.versions.count == keys.count
    else { throw StoreDamage("the table of \(entity.name) is not as its model has it") }
    guard zip([0] + keys, keys).allSatisfy({ $0 < $1 }), keys.last ?? 0 <= stored.lastKey, stored.lastKey >= 0 else {
      throw StoreDamage("keys of \(entity.name) are out of order, or greater than \(stored.lastKey), the last one")
    }
    let columns = try stored.columns.enumerated().map { try $1.values(keys.count, of: entity, at: $0) }
    var table = RowTable()
    for (place, key) in keys.enumerated() {
      guard let version = Row.version(stored.versions[place]) else {
        throw StoreDamage("\(entity.name) \(key) has no version")
      }
      table[key] = Row(version: version, count: columns.count) { columns[$0][place] }
    }
    return table
  }
}

/// Why a file is refused.
struct StoreDamage: Error {
  let sentence: String

  init(_ sentence: String) { self.sentence = sentence }
}

/// The text in the beginning of a file with the checksum of all its bytes, the digits taken as 0.
///
/// A file that was damaged, and one that is no store, are refused by it before Foundation's decoder has seen them,
/// which neither notices damage nor bears everything: thousands of arrays within each other exhaust its stack.
private enum Seal {
  private static let start = "ObjectGraph checksum "
  /// What is not checked: somebody has edited the file.
  static let open = start + String(repeating: "0", count: 16)

  private static func digits(_ bytes: Data) throws -> Range<Int> {
    guard let range = bytes.prefix(1_024).range(of: Data(start.utf8)), range.upperBound + 16 <= bytes.count else {
      throw StoreDamage("it is not the property list of a store")
    }
    return range.upperBound..<range.upperBound + 16
  }

  /// The bytes with their checksum.
  static func close(_ bytes: Data) throws -> Data {
    var closed = bytes
    let digits = String(Checksum.of(bytes), radix: 16)
    closed.replaceSubrange(try Self.digits(bytes), with: Data((open + digits).utf8.suffix(16)))
    return closed
  }

  /// Whether the checksum is right.
  static func isWhole(_ bytes: Data) throws -> Bool {
    var opened = bytes
    opened.replaceSubrange(try digits(bytes), with: Data(repeating: UInt8(ascii: "0"), count: 16))
    guard try opened == bytes || close(opened) == bytes else {
      throw StoreDamage("its checksum is wrong; if you have edited it, set the digits of the checksum to 0")
    }
    return true
  }
}

/// A number that is different for different bytes: what tells damage from data.
///
/// Each step maps eight bytes and the state before one to one to the state after, so that no damage within eight
/// aligned bytes goes unnoticed. It protects from accidents, not from forgery.
enum Checksum {
  static func of(_ bytes: Data) -> UInt64 {
    bytes.withUnsafeBytes { bytes in
      var state = 0x9e37_79b9_7f4a_7c15 ^ UInt64(bytes.count)
      func add(_ word: UInt64) {
        state = (state ^ word) &* 0xff51_afd7_ed55_8ccd
        // A product's high bits depend on all bits, its low ones on few.
        state ^= state >> 32
      }
      let end = bytes.count & ~7
      for place in stride(from: 0, to: end, by: 8) {
        add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)))
      }
      add(bytes[end...].reduce(0) { $0 << 8 | UInt64($1) })
      return state
    }
  }
}
