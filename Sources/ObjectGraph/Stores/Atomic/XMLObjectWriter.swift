import Foundation

/// Writes the objects of one entity as XML.
struct XMLObjectWriter {
  private let entity: StoredEntity
  private let links: [StoredLinks]
  private let file: String
  /// What stands before each value and after it.
  private let tags: [(start: [UInt8], end: [UInt8])]

  init(_ entity: StoredEntity, links: [StoredLinks], file: String) {
    self.entity = entity
    self.links = links
    self.file = file
    tags = entity.columns.map { column in
      switch column.kind {
      case .attribute(let type):
        let start = "    <attribute name=\"\(column.name)\" type=\"\(type.rawValue)\">"
        return (Array(start.utf8), Array("</attribute>\n".utf8))
      case .toOne(let destination):
        return (
          Array(Self.relationship(column.name, "1/1", destination).utf8), Array("\"></relationship>\n".utf8)
        )
      }
    }
  }

  private static func relationship(_ name: String, _ type: String, _ destination: String) -> String {
    "    <relationship name=\"\(name)\" type=\"\(type)\" destination=\"\(destination.uppercased())\" idrefs=\""
  }

  func write(into buffer: inout ByteBuffer) throws {
    let start = Array("  <object type=\"\(entity.name.uppercased())\" id=\"z".utf8)
    for (key, row) in entity.table {
      buffer.append(start)
      buffer.append(decimal: key)
      buffer.append("\" version=\"")
      buffer.append(decimal: row.version)
      buffer.append("\">\n")
      for (place, value) in row.values.enumerated() where !value.isNull {
        let column = entity.columns[place]
        guard column.accepts(value) else {
          throw ObjectGraphError.store(file: file, "\(entity.name).\(column.name) of p\(key) holds \(value)")
        }
        buffer.append(tags[place].start)
        write(value, column.kind, into: &buffer)
        buffer.append(tags[place].end)
      }
      for links in links { write(links.destinations[key], links, into: &buffer) }
      buffer.append("  </object>\n")
    }
    // Pairs outlive an object whose deletion leaves its relationships alone.
    for links in links {
      for source in links.destinations.values.sorted() where entity.table[source] == nil {
        buffer.append("  <deleted type=\"\(entity.name.uppercased())\" id=\"z\(source)\">\n")
        write(links.destinations[source], links, into: &buffer)
        buffer.append("  </deleted>\n")
      }
    }
  }

  private func write(_ destinations: [Int64], _ links: StoredLinks, into buffer: inout ByteBuffer) {
    guard !destinations.isEmpty else { return }
    buffer.append(Self.relationship(links.relationship, "0/0", links.destination))
    for (place, destination) in destinations.enumerated() {
      if place > 0 { buffer.append(UInt8(ascii: " ")) }
      buffer.append(UInt8(ascii: "z"))
      buffer.append(decimal: destination)
    }
    buffer.append("\"></relationship>\n")
  }

  private func write(_ value: Value, _ kind: StoredColumn.Kind, into buffer: inout ByteBuffer) {
    switch (kind, value) {
    case (.toOne, .integer(let key)):
      buffer.append(UInt8(ascii: "z"))
      buffer.append(decimal: key)
    case (_, .integer(let number)): buffer.append(decimal: number)
    // The shortest text that reads as the same number.
    case (_, .double(let number)): buffer.append("\(number)")
    case (_, .string(var text)): text.withUTF8 { XMLText.escape(UnsafeRawBufferPointer($0), into: &buffer) }
    case (.attribute(.uuid), .binary(let bytes)):
      buffer.append(UUID(stored: .binary(bytes))?.uuidString ?? "")
    case (_, .binary(let bytes)): bytes.withUnsafeBytes { Base64.encode($0, into: &buffer) }
    case (_, .null): break
    }
  }
}
