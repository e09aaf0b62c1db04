/// The form in which a store keeps the keys of its records.
///
/// Workloads use 64-bit keys. With another form than ``integer``, a backend stores a UUID in place of each key. Key and
/// UUID are computed from each other, so no table of UUIDs is needed. The order of the UUIDs differs from the order of
/// the keys, so ``StorageBackend/scan(_:in:_:)`` reads the whole collection and sorts it.
public enum KeyForm: String, CaseIterable, Sendable {
  /// The 64-bit key itself, without a UUID.
  case integer
  /// A UUID in 16 bytes that looks random (version 4), although it is computed from the key.
  case uuid4
  /// A UUID in 16 bytes that begins with a time (version 7). The time is computed from the key: the next key has the
  /// next millisecond.
  case uuid7
  /// The UUID of ``uuid4``, as a text of 36 characters.
  case uuid4Text = "uuid4-text"
  /// The UUID of ``uuid7``, as a text of 36 characters.
  case uuid7Text = "uuid7-text"

  /// The backend option `ids` with all forms of keys, for engines that can store UUIDs both in 16 bytes and as texts.
  public static let option = option(allCases)

  /// The backend option `ids` with integers and UUID texts only, for file formats in which a UUID is a text.
  public static let textOption = option([.integer, .uuid4Text, .uuid7Text])

  private static func option(_ forms: [KeyForm]) -> OptionSpec {
    OptionSpec("ids", forms.map(\.rawValue), help: "store keys as integers, or as UUIDs in 16 bytes or as texts")
  }

  /// Reads the form of the stored keys from a backend's option `ids`. The form is ``integer`` if the backend has no
  /// such option.
  public init(_ options: Options) { self = KeyForm(rawValue: options[Self.option]) ?? .integer }

  /// Creates ``uuid4Text`` or ``uuid7Text``, according to the version of the UUID in the text.
  public init(ofUUID text: String) {
    self = text.utf8.dropFirst(14).first == UInt8(ascii: "4") ? .uuid4Text : .uuid7Text
  }

  /// Whether the store orders its records by their 64-bit keys. This is true only for ``integer``.
  @inlinable public var isOrdered: Bool { self == .integer }

  /// Whether the store keeps each key as the text of a UUID.
  @inlinable public var isText: Bool { self == .uuid4Text || self == .uuid7Text }

  /// The form of the keys as an entry of ``StorageBackend/settings``, such as ` ids=uuid4`, with a space in front.
  /// Empty for integers.
  public var settings: String { isOrdered ? "" : " ids=\(rawValue)" }

  private var isRandom: Bool { self == .uuid4 || self == .uuid4Text }

  /// The form that stores the same UUIDs in 16 bytes, for example ``uuid4`` for ``uuid4Text``. For ``integer``, the
  /// form itself.
  public var inBytes: KeyForm { isOrdered ? self : isRandom ? .uuid4 : .uuid7 }

  // MARK: - UUIDs

  /// The milliseconds since 1970 in the UUID (version 7) of the key 0: 2023-11-14.
  private static let start: UInt64 = 1_700_000_000_000
  private static let lowest48Bits: UInt64 = (1 << 48) - 1

  /// Returns the UUID that stands for a key, as its first and its last eight bytes, both as big-endian numbers.
  ///
  /// The layout is that of RFC 9562. 64 of the free bits hold the key, the other 58 are a hash of it.
  public func uuid(_ key: Int64) -> (UInt64, UInt64) {
    let bits = UInt64(bitPattern: key)
    let filling = Self.mixed(bits ^ 0x5851_f42d_4c95_7f2d)
    let (head, rest): (UInt64, UInt64)
    if isRandom {
      let mixed = Self.mixed(bits)
      (head, rest) = (mixed >> 16, mixed & 0xffff)
    } else {
      head = (Self.start &+ bits) & Self.lowest48Bits
      // For keys from 0 to 2^48 the upper bits are 0, and the rest is random like the rest of other UUIDs.
      rest = (bits >> 48) ^ (Self.mixed(head) & 0xffff)
    }
    let version: UInt64 = isRandom ? 4 : 7
    return (head << 16 | version << 12 | rest >> 4, 1 << 63 | (rest & 15) << 58 | filling >> 6)
  }

  /// Returns the key that a UUID stands for. The UUID is given as its first and its last eight bytes, both as
  /// big-endian numbers.
  ///
  /// - Throws: ``StoreError/damaged(_:)`` if the UUID stands for no key.
  public func key(_ first: UInt64, _ last: UInt64) throws -> Int64 {
    let (head, rest) = (first >> 16, (first & 0xfff) << 4 | (last >> 58) & 15)
    let bits: UInt64
    if isRandom {
      bits = Self.unmixed(head << 16 | rest)
    } else {
      bits = (rest ^ (Self.mixed(head) & 0xffff)) << 48 | (head &- Self.start) & Self.lowest48Bits
    }
    let key = Int64(bitPattern: bits)
    guard uuid(key) == (first, last) else { throw Self.foreign }
    return key
  }

  private static var foreign: StoreError { .damaged("a record's UUID was not made by this suite") }

  /// Mixes the bits of a number, by the reversible last steps of SplitMix64 (Steele, Lea and Flood, 2014).
  private static func mixed(_ number: UInt64) -> UInt64 {
    var number = number
    number = (number ^ number >> 30) &* 0xbf58_476d_1ce4_e5b9
    number = (number ^ number >> 27) &* 0x94d0_49bb_1331_11eb
    return number ^ number >> 31
  }

  /// Reverses ``mixed(_:)``. Each factor is the inverse, modulo 2^64, of a factor in ``mixed(_:)``.
  private static func unmixed(_ number: UInt64) -> UInt64 {
    var number = number
    number = (number ^ number >> 31 ^ number >> 62) &* 0x3196_42b2_d24d_8ec3
    number = (number ^ number >> 27 ^ number >> 54) &* 0x96de_1b17_3f11_9089
    return number ^ number >> 30 ^ number >> 60
  }

  // MARK: - Bytes

  /// The number of bytes that each stored key takes in this form.
  @inlinable public var size: Int { isOrdered ? 8 : isText ? 36 : 16 }

  /// Passes the stored bytes of a key's UUID to the body: 16 bytes, or a text with capital letters, as Foundation
  /// writes it. The form must not be ``integer``.
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

  /// Returns the key that stored bytes of a UUID stand for. The form must not be ``integer``.
  ///
  /// - Throws: ``StoreError/damaged(_:)`` if the bytes are not the UUID of a key, as in another program's file.
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

  /// Returns the text of a key's UUID, with capital letters.
  public func text(_ key: Int64) -> String {
    let form: KeyForm = isRandom ? .uuid4Text : .uuid7Text
    return form.withBytes(of: key) { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns the key that the text of a UUID stands for. The form must store UUIDs as texts.
  ///
  /// - Throws: ``StoreError/damaged(_:)`` if the text is not the UUID of a key.
  public func key(_ text: String) throws -> Int64 {
    var text = text
    return try text.withUTF8 { try key(UnsafeRawBufferPointer($0)) }
  }
}

/// A sorter for the records of a scan in a store that keeps UUIDs as keys. The scan finds the records in the order of
/// their UUIDs, and the sorter passes them on in the order of their 64-bit keys.
public struct KeySorter {
  private let keys: ClosedRange<Int64>
  private var records: [Record] = []

  /// Creates a sorter that keeps only the records whose keys are in a range.
  public init(_ keys: ClosedRange<Int64>) { self.keys = keys }

  /// Adds the record of a view if its key is in the sorter's range. Otherwise the view is not created.
  public mutating func add(_ key: Int64, _ view: () throws -> RecordView) rethrows {
    if keys.contains(key) { records.append(try view().record()) }
  }

  /// Passes the added records to the body, in key order, until the body returns false.
  public func forEach(_ body: (RecordView) throws -> Bool) throws {
    for record in records.sorted(by: { $0.id < $1.id }) {
      guard try record.withView(body) else { return }
    }
  }
}
