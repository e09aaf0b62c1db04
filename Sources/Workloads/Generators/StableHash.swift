import StorageContract

/// A 64-bit hash that is equal in every process and on every machine: FNV-1a (parameters from RFC 9923).
public struct StableHash: Sendable, Equatable {
  /// The hash of the bytes added so far.
  public private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  /// The number of bytes added so far.
  public private(set) var length = 0

  /// Creates the hash of no bytes.
  public init() {}

  /// Creates the hash of all fields of several records.
  public init(of records: [Record]) {
    for record in records { record.withView { add($0) } }
  }

  /// Adds bytes to the hash.
  public mutating func add(_ bytes: UnsafeRawBufferPointer) {
    var value = value
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    self.value = value
    length += bytes.count
  }

  /// Adds the eight bytes of a number to the hash, least significant first.
  public mutating func add(_ number: UInt64) {
    withUnsafeBytes(of: number.littleEndian) { add($0) }
  }

  /// Adds the UTF-8 bytes of a text, and their number, to the hash.
  public mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
    add(UInt64(text.utf8.count))
  }

  /// Adds every field of a record to the hash, including the lengths of texts and payload.
  public mutating func add(_ view: RecordView) {
    add(UInt64(bitPattern: view.id))
    add(view.score.bitPattern)
    add(view.modified.bitPattern)
    for bytes in [view.name, view.group, view.payload] {
      add(UInt64(bytes.count))
      add(bytes)
    }
  }

  /// The hash as 16 hexadecimal digits.
  public var text: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
