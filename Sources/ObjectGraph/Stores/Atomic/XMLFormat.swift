import Foundation

/// A readable format in the manner of Core Data's XML stores.
///
///     <database>
///       <databaseInfo>
///         <version>1</version>
///         <UUID>6F9619FF-8B86-D011-B42D-00C04FC964FF</UUID>
///         <entity name="Students" hash="0123456789abcdef" lastKey="1">
///           <attribute name="studentName" type="string"/>
///           <relationship name="student_class" type="1/1" destination="Classes"/>
///           <relationship name="student_course" type="0/0" destination="Courses" inverse="course_students"/>
///         </entity>
///       </databaseInfo>
///       <object type="STUDENTS" id="z1" version="1">
///         <attribute name="studentName" type="string">Ada</attribute>
///         <relationship name="student_class" type="1/1" destination="CLASSES" idrefs="z7"></relationship>
///       </object>
///     </database>
///     <!-- checksum 0123456789abcdef: remove this line when you edit the file -->
///
/// Only what is stored is there: a to-one relationship, and one side of a many-to-many relationship; absent values
/// are left out. Numbers are decimal (dates in seconds since 2001-01-01), a UUID as usual, bytes in base 64. Texts are
/// as they are, but for XML's own signs, and for what XML cannot hold or changes: control characters, carriage
/// returns, U+FFFE and U+FFFF are `\u` and four hexadecimal digits, and a backslash is two.
struct XMLFormat: AtomicFormat {
  let name = "xml"

  static let version = "1"
  static let checksumStart: StaticString = "<!-- checksum "
  static let checksumEnd: StaticString = ": remove this line when you edit the file -->\n"

  func encode(_ contents: StoreContents, into buffer: inout ByteBuffer, file: String) throws {
    buffer.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<database>\n  <databaseInfo>\n    <version>")
    buffer.append(Self.version)
    buffer.append("</version>\n    <UUID>")
    buffer.append(contents.identifier.uuidString)
    buffer.append("</UUID>\n")
    for entity in contents.entities { encode(entity, of: contents, into: &buffer) }
    buffer.append("  </databaseInfo>\n")
    for entity in contents.entities {
      let writer = XMLObjectWriter(entity, links: contents.links.filter { $0.entity == entity.name }, file: file)
      try writer.write(into: &buffer)
    }
    buffer.append("</database>\n")
    let checksum = buffer.withBytes { Checksum.of($0) }
    buffer.append(Self.checksumStart)
    buffer.append(Self.digits(checksum))
    buffer.append(Self.checksumEnd)
  }

  /// A checksum as 16 hexadecimal digits.
  static func digits(_ checksum: UInt64) -> String {
    let digits = String(checksum, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// What an entity's objects consist of. Names hold nothing that would have to be escaped.
  private func encode(_ entity: StoredEntity, of contents: StoreContents, into buffer: inout ByteBuffer) {
    let hash = contents.versionHashes[entity.name] ?? Data()
    var text = "    <entity name=\"\(entity.name)\" hash=\"\(Hexadecimal.text(hash))\" lastKey=\"\(entity.lastKey)\">\n"
    for column in entity.columns {
      switch column.kind {
      case .attribute(let type):
        text += "      <attribute name=\"\(column.name)\" type=\"\(type.rawValue)\"/>\n"
      case .toOne(let destination):
        text += "      <relationship name=\"\(column.name)\" type=\"1/1\" destination=\"\(destination)\"/>\n"
      }
    }
    for links in contents.links where links.entity == entity.name {
      text += """
              <relationship name="\(links.relationship)" type="0/0" destination="\(links.destination)" \
        inverse="\(links.inverse)"/>

        """
    }
    buffer.append(text + "    </entity>\n")
  }

  func decode(_ bytes: UnsafeRawBufferPointer, file: String) throws -> StoreContents {
    var reader = XMLStoreReader(try Self.withoutChecksum(bytes, file: file), file: file)
    return try reader.read()
  }

  /// What is before the line with the checksum, which is right if it is there: who edits the file removes it.
  private static func withoutChecksum(_ bytes: UnsafeRawBufferPointer, file: String) throws -> UnsafeRawBufferPointer {
    let size = checksumStart.utf8CodeUnitCount + 16 + checksumEnd.utf8CodeUnitCount
    guard bytes.count >= size else { return bytes }
    let line = UnsafeRawBufferPointer(rebasing: bytes[(bytes.count - size)...])
    let start = UnsafeRawBufferPointer(start: checksumStart.utf8Start, count: checksumStart.utf8CodeUnitCount)
    guard line.starts(with: start) else { return bytes }
    let content = UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count - size)])
    let found = String(decoding: line[start.count..<start.count + 16], as: UTF8.self)
    guard found == digits(Checksum.of(content)) else {
      throw ObjectGraphError.damaged(
        file: file, "its checksum is wrong; if you have edited it, remove the line with the checksum")
    }
    return content
  }
}

/// Bytes as two hexadecimal digits each.
enum Hexadecimal {
  static func text(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// The bytes, or nil if the text is of another form.
  static func bytes(_ text: String) -> [UInt8]? {
    let digits = text.utf8.map { Character(Unicode.Scalar($0)).hexDigitValue }
    guard digits.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    for place in stride(from: 0, to: digits.count, by: 2) {
      guard let high = digits[place], let low = digits[place + 1] else { return nil }
      bytes.append(UInt8(high * 16 + low))
    }
    return bytes
  }
}
