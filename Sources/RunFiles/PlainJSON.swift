import Foundation

/// JSON as `JSONEncoder` writes it without being asked for more: no white space, and here no escapes and no null either.
/// Anything else is ``Unsupported``, and for somebody who reads all of JSON.
struct PlainJSON {
  /// Something that is not read here, or is no JSON.
  struct Unsupported: Error {}

  private let bytes: UnsafeRawBufferPointer
  private var place = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var isAtEnd: Bool { place == bytes.count }

  /// Reads an object; the body reads the value that belongs to a name.
  mutating func object(_ member: (inout PlainJSON, String) throws -> Void) throws {
    try take(UInt8(ascii: "{"))
    while true {
      let name = try text()
      try take(UInt8(ascii: ":"))
      try member(&self, name)
      switch try next() {
      case UInt8(ascii: ","): continue
      case UInt8(ascii: "}"): return
      default: throw Unsupported()
      }
    }
  }

  /// Reads an array that is not empty; the body reads an element.
  mutating func array<Element>(_ element: (inout PlainJSON) throws -> Element) throws -> [Element] {
    try take(UInt8(ascii: "["))
    var elements: [Element] = []
    while true {
      elements.append(try element(&self))
      switch try next() {
      case UInt8(ascii: ","): continue
      case UInt8(ascii: "]"): return elements
      default: throw Unsupported()
      }
    }
  }

  /// The bytes of an object, braces included; what is in it is for somebody else to judge.
  mutating func rawObject() throws -> UnsafeRawBufferPointer {
    let start = place
    guard place < bytes.count, bytes[place] == UInt8(ascii: "{") else { throw Unsupported() }
    var depth = 0
    repeat {
      switch try next() {
      case UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "}"): depth -= 1
      case UInt8(ascii: "\""): _ = try restOfText()
      default: break
      }
    } while depth > 0
    return UnsafeRawBufferPointer(rebasing: bytes[start..<place])
  }

  mutating func text() throws -> String {
    try take(UInt8(ascii: "\""))
    let start = place
    let isASCII = try restOfText()
    let bytes = UnsafeRawBufferPointer(rebasing: bytes[start..<place - 1])
    // Nearly all texts are ASCII: there is nothing to validate, which takes longer than all else.
    if isASCII { return String(decoding: bytes, as: UTF8.self) }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw Unsupported() }
    return text
  }

  /// Goes behind the quote that ends a text.
  ///
  /// - Returns: Whether all before it is ASCII.
  private mutating func restOfText() throws -> Bool {
    var seen: UInt64 = 0
    while bytes.count - place >= 8 {
      let eight = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
      let ends = Self.ends(eight)
      guard ends == 0 else {
        place += ends.trailingZeroBitCount / 8
        // What the bytes before the first end are, and no others.
        seen |= eight & (ends & (0 &- ends) &- 1)
        break
      }
      seen |= eight
      place += 8
    }
    while true {
      let byte = try next()
      if byte == UInt8(ascii: "\"") { return seen & Self.each(0x80) == 0 }
      // An escape, or a control character, which needs one.
      if byte == UInt8(ascii: "\\") || byte < 0x20 { throw Unsupported() }
      seen |= UInt64(byte)
    }
  }

  /// The highest bit of the first of eight bytes that is a quote, a backslash or a control character; bits behind it may
  /// be set, too. A byte less one carries into its highest bit where it was zero ("Determine if a word has a zero byte",
  /// Sean Eron Anderson, Bit Twiddling Hacks).
  private static func ends(_ eight: UInt64) -> UInt64 {
    let (quotes, escapes) = (eight ^ each(UInt8(ascii: "\"")), eight ^ each(UInt8(ascii: "\\")))
    let (quote, escape) = ((quotes &- each(1)) & ~quotes, (escapes &- each(1)) & ~escapes)
    return (quote | escape | (eight &- each(0x20)) & ~eight) & each(0x80)
  }

  @inline(__always)
  private static func each(_ byte: UInt8) -> UInt64 { 0x0101_0101_0101_0101 &* UInt64(byte) }

  mutating func truth() throws -> Bool {
    let word: StaticString = try peek() == UInt8(ascii: "t") ? "true" : "false"
    for index in 0..<word.utf8CodeUnitCount { try take(word.utf8Start[index]) }
    return word.utf8CodeUnitCount == 4
  }

  /// A whole number of at most 18 digits, written as one.
  mutating func integer() throws -> Int {
    let value = try digitsWithSign()
    let after = try peek()
    guard after == UInt8(ascii: ",") || after == UInt8(ascii: "}") else { throw Unsupported() }
    return value
  }

  mutating func number() throws -> Double {
    let start = place
    let whole = try digitsWithSign()
    var isWhole = true
    if try peek() == UInt8(ascii: ".") {
      isWhole = false
      place += 1
      try digits()
    }
    if try peek() | 0x20 == UInt8(ascii: "e") {
      isWhole = false
      place += 1
      if try peek() == UInt8(ascii: "-") || peek() == UInt8(ascii: "+") { place += 1 }
      try digits()
    }
    // Up to 2^53 every whole number is a double.
    if isWhole, whole != 0, abs(whole) < 1 << 53 { return Double(whole) }
    // Ends at the byte behind the number, which is there: an object is not at its end.
    guard let base = bytes.baseAddress else { throw Unsupported() }
    let value = strtod((base + start).assumingMemoryBound(to: CChar.self), nil)
    // What is too large or too small for a double is for somebody else to judge.
    guard value.isNormal || (value == 0 && isWhole) else { throw Unsupported() }
    return value
  }

  private mutating func digitsWithSign() throws -> Int {
    let isNegative = try peek() == UInt8(ascii: "-")
    if isNegative { place += 1 }
    let start = place
    var value = 0
    while case let byte = try peek(), byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
      guard place - start < 18 else { throw Unsupported() }
      value = value * 10 + Int(byte - UInt8(ascii: "0"))
      place += 1
    }
    // JSON has no leading zeros.
    guard place > start, bytes[start] != UInt8(ascii: "0") || place == start + 1 else { throw Unsupported() }
    return isNegative ? -value : value
  }

  private mutating func digits() throws {
    let start = place
    while case let byte = try peek(), byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { place += 1 }
    guard place > start else { throw Unsupported() }
  }

  private func peek() throws -> UInt8 {
    guard place < bytes.count else { throw Unsupported() }
    return bytes[place]
  }

  private mutating func next() throws -> UInt8 {
    let byte = try peek()
    place += 1
    return byte
  }

  private mutating func take(_ byte: UInt8) throws {
    guard try next() == byte else { throw Unsupported() }
  }
}
