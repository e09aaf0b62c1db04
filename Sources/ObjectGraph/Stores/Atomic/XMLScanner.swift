/// Takes XML apart: of the language what ``XMLFormat`` writes, and what an editor may change about it, which is
/// space between elements, comments, quotes and empty elements. Sections, declarations of types and instructions are
/// not part of it.
///
/// FoundationXML's parser makes texts and dictionaries of everything: before anybody has made values of them, it has
/// taken twice the time that all of this takes.
struct XMLScanner {
  typealias Bytes = UnsafeRawBufferPointer

  /// The name in the tag that was opened last.
  private(set) var name = Bytes(start: nil, count: 0)
  private var attributes: [(name: Bytes, value: Bytes)] = []
  /// Whether that element is empty, and needs no ``close()``.
  private var isEmpty = false
  /// The names of the elements that are open.
  private var open: [Bytes] = []
  private let all: Bytes
  private let file: String
  private var place = 0

  init(_ bytes: Bytes, file: String) {
    all = bytes
    self.file = file
  }

  /// The error for what cannot be, with the line where it is.
  func damage(_ what: String) -> ObjectGraphError {
    let line = 1 + all[..<place].count { $0 == UInt8(ascii: "\n") }
    return .damaged(file: file, "\(what), in line \(line)")
  }

  // MARK: - Elements

  /// Opens the next element of the one that is open.
  ///
  /// - Returns: Whether there is one.
  mutating func next() throws -> Bool {
    if isEmpty { return false }
    try skipSpace()
    guard place < all.count else {
      guard open.isEmpty else { throw damage("it ends within <\(Self.text(open[open.count - 1]))>") }
      return false
    }
    guard all[place] == UInt8(ascii: "<") else { throw damage("there is a text between elements") }
    guard place + 1 < all.count, all[place + 1] != UInt8(ascii: "/") else { return false }
    place += 1
    name = try word()
    attributes.removeAll(keepingCapacity: true)
    while true {
      skipBlanks()
      guard place < all.count else { throw damage("it ends within a tag") }
      switch all[place] {
      case UInt8(ascii: ">"):
        place += 1
        isEmpty = false
        open.append(name)
        return true
      case UInt8(ascii: "/"):
        place += 1
        try expect(UInt8(ascii: ">"))
        isEmpty = true
        open.append(name)
        return true
      default: try attribute()
      }
    }
  }

  /// Closes the element that was opened last.
  mutating func close() throws {
    guard let name = open.popLast() else { throw damage("there is nothing to close") }
    if isEmpty {
      isEmpty = false
      return
    }
    try skipSpace()
    try expect(UInt8(ascii: "<"))
    try expect(UInt8(ascii: "/"))
    guard place + name.count <= all.count, Self.isEqual(Bytes(rebasing: all[place..<place + name.count]), name) else {
      throw damage("</\(Self.text(name))> is missing")
    }
    place += name.count
    skipBlanks()
    try expect(UInt8(ascii: ">"))
  }

  /// Takes the text of the element that was opened last, as it stands there, and closes the element.
  mutating func text() throws -> Bytes {
    if isEmpty {
      try close()
      return Bytes(start: nil, count: 0)
    }
    let start = place
    while place < all.count, all[place] != UInt8(ascii: "<") { place += 1 }
    let text = Bytes(rebasing: all[start..<place])
    try close()
    return text
  }

  /// Opens an element that must be the next one.
  mutating func open(_ wanted: StaticString) throws {
    guard try next(), isNamed(wanted) else { throw damage("<\(wanted)> is missing") }
  }

  /// Makes sure that nothing follows.
  mutating func end() throws {
    try skipSpace()
    guard place == all.count else { throw damage("something follows after the last element") }
  }

  /// Whether the tag that was opened last has a name.
  func isNamed(_ wanted: StaticString) -> Bool { Self.isEqual(name, Self.bytes(wanted)) }

  /// An attribute of that tag.
  func attribute(_ wanted: StaticString) throws -> Bytes {
    guard let found = optionalAttribute(wanted) else { throw damage("<\(Self.text(name))> has no \(wanted)") }
    return found
  }

  func optionalAttribute(_ wanted: StaticString) -> Bytes? {
    attributes.first { Self.isEqual($0.name, Self.bytes(wanted)) }?.value
  }

  // MARK: - Bytes

  private mutating func attribute() throws {
    let name = try word()
    skipBlanks()
    try expect(UInt8(ascii: "="))
    skipBlanks()
    guard place < all.count, all[place] == UInt8(ascii: "\"") || all[place] == UInt8(ascii: "'") else {
      throw damage("a quote is missing")
    }
    let quote = all[place]
    let start = place + 1
    guard let end = all[start...].firstIndex(of: quote) else { throw damage("a quote is not closed") }
    guard optionalAttribute(name) == nil else { throw damage("\(Self.text(name)) is there twice") }
    attributes.append((name, Bytes(rebasing: all[start..<end])))
    place = end + 1
  }

  private func optionalAttribute(_ wanted: Bytes) -> Bytes? {
    attributes.first { Self.isEqual($0.name, wanted) }?.value
  }

  /// A name of letters, digits and `_`.
  private mutating func word() throws -> Bytes {
    let start = place
    while place < all.count, Self.isWord(all[place]) { place += 1 }
    guard place > start else { throw damage("a name is missing") }
    return Bytes(rebasing: all[start..<place])
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }

  private mutating func skipBlanks() {
    while place < all.count, Self.isBlank(all[place]) { place += 1 }
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
  }

  /// Skips white space, comments, and in the beginning the declaration.
  private mutating func skipSpace() throws {
    while true {
      skipBlanks()
      let end: StaticString
      if starts(with: "<!--") {
        end = "-->"
      } else if starts(with: "<?xml "), open.isEmpty {
        end = "?>"
      } else {
        return
      }
      while !starts(with: end) {
        guard place < all.count else { throw damage("a comment is not closed") }
        place += 1
      }
      place += end.utf8CodeUnitCount
    }
  }

  private func starts(with text: StaticString) -> Bool {
    let bytes = Self.bytes(text)
    return place + bytes.count <= all.count
      && Self.isEqual(Bytes(rebasing: all[place..<place + bytes.count]), bytes)
  }

  private mutating func expect(_ byte: UInt8) throws {
    guard place < all.count, all[place] == byte else {
      throw damage("'\(Character(Unicode.Scalar(byte)))' is missing")
    }
    place += 1
  }

  static func bytes(_ text: StaticString) -> Bytes { Bytes(start: text.utf8Start, count: text.utf8CodeUnitCount) }

  static func isEqual(_ left: Bytes, _ right: Bytes) -> Bool { left.count == right.count && left.elementsEqual(right) }

  static func text(_ bytes: Bytes) -> String { String(decoding: bytes, as: UTF8.self) }
}
