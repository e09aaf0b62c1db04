import Foundation

/// Writes the objects of one entity as XML.
struct XMLObjectWriter {
  private let entity: Entity
  private let table: RowTable
  /// The many-to-many relationships that start here, with what stands before their destinations.
  private let pairs: [(start: [UInt8], pairs: StoredPairs)]
  private let file: String
  /// What stands before each value and after it.
  private let tags: [(start: [UInt8], end: [UInt8])]

  init(_ entity: Entity, _ contents: StoreContents, file: String) {
    self.entity = entity
    self.file = file
    table = contents.entities[entity.number - 1].table
    let model = contents.model
    pairs = zip(model.pairedRelationships, contents.pairs).filter { $0.0.entity === entity }.map { paired, pairs in
      (Self.relationship(paired.relationship, model), pairs)
    }
    let attributes = entity.attributes.map { attribute in
      let start = "    <attribute name=\"\(attribute.name)\" type=\"\(attribute.type.rawValue)\">"
      return (start: Array(start.utf8), end: Array("</attribute>\n".utf8))
    }
    tags = attributes + entity.toOnes.map { (Self.relationship($0, model), Array(Self.relationshipEnd.utf8)) }
  }

  private static func relationship(_ relationship: Relationship, _ model: ManagedObjectModel) -> [UInt8] {
    let type = XMLFormat.type(of: relationship)
    let destination = model.destination(of: relationship).name.uppercased()
    let start =
      "    <relationship name=\"\(relationship.name)\" type=\"\(type)\" destination=\"\(destination)\" idrefs=\""
    return Array(start.utf8)
  }

  private static let relationshipEnd = "\"></relationship>\n"

  func write(into buffer: inout ByteBuffer) throws {
    let start = Array("  <object type=\"\(entity.name.uppercased())\" id=\"z".utf8)
    for (key, row) in table {
      buffer.append(start)
      buffer.append(decimal: key)
      buffer.append("\" version=\"")
      buffer.append(decimal: row.version)
      buffer.append("\">\n")
      for (place, value) in row.values.enumerated() where !value.isNull {
        guard entity.accepts(value, at: place) else {
          throw ObjectGraphError.store(
            file: file, "\(entity.name).\(entity.propertyName(at: place)) of p\(key) holds \(value)")
        }
        buffer.append(tags[place].start)
        write(value, at: place, into: &buffer)
        buffer.append(tags[place].end)
      }
      for (start, pairs) in pairs { write(pairs.destinations[key], start, into: &buffer) }
      buffer.append("  </object>\n")
    }
    // Pairs outlive an object whose deletion leaves its relationships alone.
    for (start, pairs) in pairs {
      for source in pairs.destinations.values.sorted() where table[source] == nil {
        buffer.append("  <deleted type=\"\(entity.name.uppercased())\" id=\"z\(source)\">\n")
        write(pairs.destinations[source], start, into: &buffer)
        buffer.append("  </deleted>\n")
      }
    }
  }

  private func write(_ destinations: [Int64], _ start: [UInt8], into buffer: inout ByteBuffer) {
    guard !destinations.isEmpty else { return }
    buffer.append(start)
    for (place, destination) in destinations.enumerated() {
      if place > 0 { buffer.append(UInt8(ascii: " ")) }
      buffer.append(UInt8(ascii: "z"))
      buffer.append(decimal: destination)
    }
    buffer.append(Self.relationshipEnd)
  }

  private func write(_ value: Value, at place: Int, into buffer: inout ByteBuffer) {
    let isKey = place >= entity.attributes.count
    switch value {
    case .null: break
    case .integer(let number):
      if isKey { buffer.append(UInt8(ascii: "z")) }
      buffer.append(decimal: number)
    // The shortest text that reads as the same number.
    case .double(let number): buffer.append("\(number)")
    case .string(var text): text.withUTF8 { XMLText.escape(UnsafeRawBufferPointer($0), into: &buffer) }
    case .binary(let bytes):
      if entity.attributes[place].type == .uuid, let uuid = UUID(stored: value) {
        buffer.append(uuid.uuidString)
      } else {
        bytes.withUnsafeBytes { Base64.encode($0, into: &buffer) }
      }
    }
  }
}
