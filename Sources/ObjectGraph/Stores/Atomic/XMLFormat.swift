import Foundation

/// A readable format in the manner of Core Data's XML stores.
///
///     <database>
///       <databaseInfo>
///         <version>1</version>
///         <UUID>6F9619FF-8B86-D011-B42D-00C04FC964FF</UUID>
///         <model>{"entities":[...],"format":1}</model>
///         <entity name="Students" hash="0123456789abcdef" lastKey="1"/>
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

  /// How a relationship is written: to one object, or to any number.
  static func type(of relationship: Relationship) -> String { relationship.isToMany ? "0/0" : "1/1" }

  func encode(_ contents: StoreContents, into buffer: inout ByteBuffer, file: String) throws {
    buffer.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<database>\n  <databaseInfo>\n    <version>")
    buffer.append(Self.version)
    buffer.append("</version>\n    <UUID>")
    buffer.append(contents.identifier.uuidString)
    buffer.append("</UUID>\n    <model>")
    try ModelArchive(contents.model).encoded().withUnsafeBytes { XMLText.escape($0, into: &buffer) }
    buffer.append("</model>\n")
    for (entity, stored) in zip(contents.model.entities, contents.entities) {
      // Names of entities and properties hold nothing that would have to be escaped.
      let hash = Value.hex(entity.versionHash)
      buffer.append("    <entity name=\"\(entity.name)\" hash=\"\(hash)\" lastKey=\"\(stored.lastKey)\"/>\n")
    }
    buffer.append("  </databaseInfo>\n")
    for entity in contents.model.entities {
      try XMLObjectWriter(entity, contents, file: file).write(into: &buffer)
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

  func decode(_ bytes: UnsafeRawBufferPointer, file: String) throws -> StoreContents {
    try XMLStoreReader.read(try Self.withoutChecksum(bytes, file: file), file: file)
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
