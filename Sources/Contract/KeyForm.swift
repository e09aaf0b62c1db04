/// The form of stored keys: 64-bit integers, or UUIDs computed from the integers. UUIDs have another sort order, so
/// scans sort their records by key.
public enum KeyForm: String, CaseIterable, Sendable {
  /// The form in which a store keeps each record key as a plain 64-bit integer.
  case integer
  /// The form of keys as version-4 UUIDs in 16 bytes, which look random but are computed from the keys.
  case uuid4
  /// The form of keys as version-7 UUIDs in 16 bytes. The timestamp is computed from the key: the next key has the next
  /// millisecond.
  case uuid7
  /// The form in which a store keeps each record key as a version-4 UUID, in a text of 36 characters.
  case uuid4Text = "uuid4-text"
  /// The form in which a store keeps each record key as a version-7 UUID, in a text of 36 characters.
  case uuid7Text = "uuid7-text"

  /// The backend option `ids` with all forms of keys: integers, and UUIDs in 16 bytes or as texts.
  public static let option = option(allCases)

  /// The backend option `ids` for file formats without binary UUIDs. Keys are stored as integers or as texts of UUIDs.
  public static let textOption = option([.integer, .uuid4Text, .uuid7Text])

  private static func option(_ forms: [KeyForm]) -> OptionSpec {
    OptionSpec("ids", forms.map(\.rawValue), help: "store keys as integers, or as UUIDs in 16 bytes or as texts")
  }

  /// Creates the form of keys that the backend option `ids` selects. The default is ``integer``.
  public init(_ options: Options) { self = KeyForm(rawValue: options[Self.option]) ?? .integer }

  /// Creates ``uuid4Text`` or ``uuid7Text``, depending on the version digit of the UUID.
  public init(ofUUID text: String) {
    self = text.utf8.dropFirst(14).first == UInt8(ascii: "4") ? .uuid4Text : .uuid7Text
  }

  /// Whether the store orders its records by their 64-bit keys. True only for ``integer``.
  @inlinable public var isOrdered: Bool { self == .integer }

  /// Whether the store keeps each key as the text of a UUID.
  @inlinable public var isText: Bool { self == .uuid4Text || self == .uuid7Text }

  /// A text for the end of ``StorageBackend/settings``, such as ` ids=uuid4`. Empty for integer keys.
  public var settings: String { isOrdered ? "" : " ids=\(rawValue)" }

  private var isRandom: Bool { self == .uuid4 || self == .uuid4Text }

  /// The binary form of the same keys: ``uuid4`` for ``uuid4Text``, and ``uuid7`` for ``uuid7Text``. Otherwise the form
  /// itself.
  public var inBytes: KeyForm { isOrdered ? self : isRandom ? .uuid4 : .uuid7 }

  // MARK: - UUIDs

  /// The timestamp in the version-7 UUID of key 0, in milliseconds since 1970 (2023-11-14).
  private static let start: UInt64 = 1_700_000_000_000
  private static let lowest48Bits: UInt64 = (1 << 48) - 1

  /// Returns the first and the last eight bytes of a key's UUID, big endian. Besides the bits that RFC 9562 prescribes,
  /// the UUID contains the key and a hash.
  public func uuid(_ key: Int64) -> (UInt64, UInt64) {
    let bits = UInt64(bitPattern: key)
    let filling = SeededRandom.mixed(bits ^ 0x5851_f42d_4c95_7f2d)
    let (head, rest): (UInt64, UInt64)
    if isRandom {
      let mixed = SeededRandom.mixed(bits)
      (head, rest) = (mixed >> 16, mixed & 0xffff)
    } else {
      head = (Self.start &+ bits) & Self.lowest48Bits
      // The upper 16 bits of keys from 0 to 2^48 - 1 are 0. The mixed-in hash makes these bits of the UUID look random.
      rest = (bits >> 48) ^ (SeededRandom.mixed(head) & 0xffff)
    }
    let version: UInt64 = isRandom ? 4 : 7
    return (head << 16 | version << 12 | rest >> 4, 1 << 63 | (rest & 15) << 58 | filling >> 6)
  }

  /// Returns the record key of the UUID with these first and last eight bytes, as big-endian numbers.
  ///
  /// - Throws: ``StoreError/damaged(_:)`` if the UUID was not computed from a key.
  public func key(_ first: UInt64, _ last: UInt64) throws -> Int64 {
    let (head, rest) = (first >> 16, (first & 0xfff) << 4 | (last >> 58) & 15)
    let bits: UInt64
    if isRandom {
      bits = Self.unmixed(head << 16 | rest)
    } else {
      bits = (rest ^ (SeededRandom.mixed(head) & 0xffff)) << 48 | (head &- Self.start) & Self.lowest48Bits
    }
    let key = Int64(bitPattern: bits)
    guard uuid(key) == (first, last) else { throw Self.foreign }
    return key
  }

  private static var foreign: StoreError { .damaged("a record's UUID was not made by this suite") }

  /// Returns the number for which ``SeededRandom/mixed(_:)`` returns `number`. The multipliers are the inverses, modulo
  /// 2^64, of the multipliers in `mixed`.
  private static func unmixed(_ number: UInt64) -> UInt64 {
    var number = number
    number = (number ^ number >> 31 ^ number >> 62) &* 0x3196_42b2_d24d_8ec3
    number = (number ^ number >> 27 ^ number >> 54) &* 0x96de_1b17_3f11_9089
    return number ^ number >> 30 ^ number >> 60
  }

  // MARK: - Bytes

  /// The number of bytes of each stored key in this form.
  @inlinable public var size: Int { isOrdered ? 8 : isText ? 36 : 16 }

  /// Passes the bytes of a key's UUID to `body`: 16 bytes, or a text with capital letters. Not for ``integer`` keys.
  public func withBytes<Result>(of key: Int64, _ body: (UnsafeMutableRawBufferPointer) throws -> Result) rethrows
    -> Result
  {
    try withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { bytes in
      fill(bytes, uuid(key))
      return try body(bytes)
    }
  }

  private func fill(_ bytes: UnsafeMutableRawBufferPointer, _ uuid: (UInt64, UInt64)) {
    guard isText else {
      bytes.storeBytes(of: uuid.0.bigEndian, as: UInt64.self)
      bytes.storeBytes(of: uuid.1.bigEndian, toByteOffset: 8, as: UInt64.self)
      return
    }
    var index = 0
    for position in 0..<32 {
      if Self.isAfterHyphen(position) {
        bytes[index] = UInt8(ascii: "-")
        index += 1
      }
      let digit = UInt8(truncatingIfNeeded: (position < 16 ? uuid.0 : uuid.1) >> UInt64(60 - position % 16 * 4)) & 15
      bytes[index] = digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "A") - 10)
      index += 1
    }
  }

  private static func isAfterHyphen(_ position: Int) -> Bool { position >= 8 && position <= 20 && position % 4 == 0 }

  /// Returns the record key for the stored bytes of its UUID. Not for ``integer`` keys.
  ///
  /// - Throws: ``StoreError/damaged(_:)`` if the bytes are not the UUID of a key.
  public func key(_ bytes: UnsafeRawBufferPointer) throws -> Int64 {
    guard bytes.count == size else { throw Self.foreign }
    guard isText else {
      return try key(
        UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
        UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }
    var (first, last, index): (UInt64, UInt64, Int) = (0, 0, 0)
    for position in 0..<32 {
      if Self.isAfterHyphen(position) {
        guard bytes[index] == UInt8(ascii: "-") else { throw Self.foreign }
        index += 1
      }
      guard let digit = Character(Unicode.Scalar(bytes[index])).hexDigitValue else { throw Self.foreign }
      (first, last) = (first << 4 | last >> 60, last << 4 | UInt64(digit))
      index += 1
    }
    return try key(first, last)
  }

  /// Returns the UUID of a record key as a text, with capital letters.
  public func text(_ key: Int64) -> String {
    let form: KeyForm = isRandom ? .uuid4Text : .uuid7Text
    return form.withBytes(of: key) { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns the record key whose UUID is the given text. Works only for ``uuid4Text`` and ``uuid7Text``.
  ///
  /// - Throws: ``StoreError/damaged(_:)`` if the text is not the UUID of a key.
  public func key(_ text: String) throws -> Int64 {
    try text.withLentUTF8 { try key(UnsafeRawBufferPointer($0)) }
  }
}

/// A buffer that sorts scanned records by their 64-bit keys, for stores whose engine returns records in the order of
/// UUIDs.
public struct KeySorter {
  private let keys: ClosedRange<Int64>
  private var records: [Record] = []

  /// Creates a buffer that keeps and sorts the records whose keys are in a range.
  public init(_ keys: ClosedRange<Int64>) { self.keys = keys }

  /// Adds a scanned record if `key` is in the range of the buffer. Only then is the closure `view` called to read the
  /// record.
  public mutating func add(_ key: Int64, _ view: () throws -> RecordView) rethrows {
    if keys.contains(key) { records.append(try view().record()) }
  }

  /// Passes the buffered records to the closure `body`, in key order, until the closure returns false.
  public func forEach(_ body: (RecordView) throws -> Bool) throws {
    for record in records.sorted(by: { $0.id < $1.id }) {
      guard try record.withView(body) else { return }
    }
  }
}
