/// Bytes as text: three of them as four characters.
enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  /// The value of each character, or 255.
  private static let values: [UInt8] = (0...255).map { byte in
    alphabet.firstIndex(of: UInt8(byte)).map(UInt8.init) ?? 255
  }

  static func encode(_ bytes: UnsafeRawBufferPointer, into buffer: inout ByteBuffer) {
    let size = (bytes.count + 2) / 3 * 4
    _ = buffer.append(upTo: size) { room in
      for (group, place) in stride(from: 0, to: bytes.count, by: 3).enumerated() {
        let (more, last) = (place + 1 < bytes.count, place + 2 < bytes.count)
        let word =
          UInt32(bytes[place]) << 16 | (more ? UInt32(bytes[place + 1]) << 8 : 0)
          | (last ? UInt32(bytes[place + 2]) : 0)
        room[group * 4] = alphabet[Int(word >> 18)]
        room[group * 4 + 1] = alphabet[Int(word >> 12 & 63)]
        room[group * 4 + 2] = more ? alphabet[Int(word >> 6 & 63)] : UInt8(ascii: "=")
        room[group * 4 + 3] = last ? alphabet[Int(word & 63)] : UInt8(ascii: "=")
      }
      return size
    }
  }

  /// The bytes, or nil if the text is of another form. White space does not count.
  static func decode(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3)
    var (word, count, padding): (UInt32, Int, Int) = (0, 0, 0)
    for character in text {
      switch character {
      case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): continue
      case UInt8(ascii: "="): padding += 1
      default:
        let value = values[Int(character)]
        guard value < 64, padding == 0 else { return nil }
        word = word << 6 | UInt32(value)
        count += 1
        guard count == 4 else { continue }
        bytes.append(UInt8(word >> 16))
        bytes.append(UInt8(word >> 8 & 255))
        bytes.append(UInt8(word & 255))
        (word, count) = (0, 0)
      }
    }
    switch (count, padding) {
    case (0, 0): break
    case (2, 2): bytes.append(UInt8(word >> 4 & 255))
    case (3, 1):
      bytes.append(UInt8(word >> 10 & 255))
      bytes.append(UInt8(word >> 2 & 255))
    default: return nil
    }
    return bytes
  }
}
