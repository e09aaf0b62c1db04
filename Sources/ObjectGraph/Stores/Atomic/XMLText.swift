/// Texts in XML and back.
enum XMLText {
  /// Whether a byte cannot stand for itself, for each byte. Of U+FFFE and U+FFFF it is the first one, which they share
  /// with others.
  private static let isSpecial: [Bool] = (0...255).map { byte in
    switch UInt8(byte) {
    case UInt8(ascii: "\t"), UInt8(ascii: "\n"): false
    case 0..<0x20, 0x7f, 0xef: true
    case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"): true
    default: false
    }
  }

  static func escape(_ text: UnsafeRawBufferPointer, into buffer: inout ByteBuffer) {
    isSpecial.withUnsafeBufferPointer { isSpecial in
      var start = 0
      var place = 0
      while place < text.count {
        let byte = text[place]
        guard isSpecial[Int(byte)] else {
          place += 1
          continue
        }
        buffer.append(UnsafeRawBufferPointer(rebasing: text[start..<place]))
        switch byte {
        case UInt8(ascii: "&"): buffer.append("&amp;")
        case UInt8(ascii: "<"): buffer.append("&lt;")
        case UInt8(ascii: ">"): buffer.append("&gt;")
        case UInt8(ascii: "\\"): buffer.append("\\\\")
        case 0xef:
          // U+FFFE is EF BF BE, U+FFFF is EF BF BF; each character that starts with EF has three bytes.
          if text[place + 1] == 0xbf, text[place + 2] >= 0xbe {
            buffer.append(text[place + 2] == 0xbe ? "\\ufffe" : "\\uffff")
          } else {
            buffer.append(UnsafeRawBufferPointer(rebasing: text[place..<place + 3]))
          }
          place += 2
        default: buffer.append("\\u00" + Value.hex([byte]))
        }
        place += 1
        start = place
      }
      buffer.append(UnsafeRawBufferPointer(rebasing: text[start...]))
    }
  }

  /// The text that stands between two tags, or nil if something in it cannot be.
  static func unescaped(_ bytes: UnsafeRawBufferPointer) -> String? {
    let isPlain = isSpecial.withUnsafeBufferPointer { isSpecial in bytes.allSatisfy { !isSpecial[Int($0)] } }
    if isPlain { return String(validating: bytes, as: UTF8.self) }
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "&"):
        guard let end = rest.prefix(12).firstIndex(of: UInt8(ascii: ";")), let scalar = entity(rest[..<end]) else {
          return nil
        }
        text += Array(String(Character(scalar)).utf8)
        rest = rest[(end + 1)...]
      case UInt8(ascii: "\\"):
        switch rest.popFirst() {
        case UInt8(ascii: "\\"): text.append(UInt8(ascii: "\\"))
        case UInt8(ascii: "u"):
          guard rest.count >= 4, let code = number(rest.prefix(4), radix: 16), let scalar = Unicode.Scalar(code) else {
            return nil
          }
          text += Array(String(Character(scalar)).utf8)
          rest = rest.dropFirst(4)
        default: return nil
        }
      case UInt8(ascii: "\r"):
        // To XML, each kind of line end is a line feed.
        if rest.first != UInt8(ascii: "\n") { text.append(UInt8(ascii: "\n")) }
      case 0x7f: text.append(byte)
      case 0..<0x20 where byte != UInt8(ascii: "\t") && byte != UInt8(ascii: "\n"): return nil
      case UInt8(ascii: "<"): return nil
      default: text.append(byte)
      }
    }
    return String(validating: text, as: UTF8.self)
  }

  /// What `amp`, `#65` or `#x41` stands for.
  private static func entity(_ name: Slice<UnsafeRawBufferPointer>) -> Unicode.Scalar? {
    switch String(decoding: name, as: UTF8.self) {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "quot": return "\""
    case "apos": return "'"
    case let other where other.hasPrefix("#x"): return number(name.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
    case let other where other.hasPrefix("#"): return number(name.dropFirst(), radix: 10).flatMap(Unicode.Scalar.init)
    default: return nil
    }
  }

  private static func number(_ digits: Slice<UnsafeRawBufferPointer>, radix: UInt32) -> UInt32? {
    guard !digits.isEmpty, digits.count <= 8 else { return nil }
    var number: UInt32 = 0
    for digit in digits {
      guard let value = Character(Unicode.Scalar(digit)).hexDigitValue, value < radix else { return nil }
      let (product, isTooGreat) = number.multipliedReportingOverflow(by: radix)
      guard !isTooGreat, product <= 0x1f_ffff else { return nil }
      number = product + UInt32(value)
    }
    return number
  }

  /// A whole number in digits, or nil if the text is anything else.
  static func integer(_ text: UnsafeRawBufferPointer) -> Int64? {
    let isNegative = text.first == UInt8(ascii: "-")
    let digits = text.dropFirst(isNegative ? 1 : 0)
    guard !digits.isEmpty else { return nil }
    var number: Int64 = 0
    for digit in digits {
      guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
      let value = Int64(digit - UInt8(ascii: "0"))
      let (product, isTooGreat) = number.multipliedReportingOverflow(by: 10)
      // The least number has no positive counterpart.
      let (sum, isOver) =
        isNegative ? product.subtractingReportingOverflow(value) : product.addingReportingOverflow(value)
      guard !isTooGreat, !isOver else { return nil }
      number = sum
    }
    return number
  }
}
