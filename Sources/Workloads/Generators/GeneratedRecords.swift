import StorageContract

/// Generated records that depend only on a seed. Keys are 1 to `count`, and names are in many scripts.
public struct GeneratedRecords: RecordSource {
  /// The kind of a generated payload: random bytes or words.
  public enum Payload: String, Sendable, CaseIterable {
    /// Random bytes, which no engine can compress.
    case random
    /// Random words, which can be compressed to about a third.
    case text
  }

  public let count: Int
  private let bytes: Int
  private let payload: Payload
  private let seed: UInt64
  private let groups: Int

  /// Creates a source that makes each record on request.
  ///
  /// - Parameter bytes: The length of each payload in bytes.
  public init(count: Int, bytes: Int, payload: Payload = .random, seed: UInt64) {
    self.count = count
    self.bytes = bytes
    self.payload = payload
    self.seed = seed
    // Five group names with this many numbers each give about 4 records per group.
    groups = max(1, count / 20)
  }

  public func key(at index: Int) -> Int64 { Int64(index) + 1 }

  public func index(of key: Int64) -> Int? { key >= 1 && key <= Int64(count) ? Int(key) - 1 : nil }

  public func record(at index: Int) -> Record {
    var random = RandomStream(seed: seed, .record, index)
    let name = SampleText.names[random.below(SampleText.names.count)] + " " + String(index + 1)
    let group = SampleText.groups[random.below(SampleText.groups.count)] + " " + String(random.below(groups))
    return Record(
      id: key(at: index), name: name, group: group,
      score: random.fraction() * 1_000,
      // A random time in the five years before 2026, with a fraction of a second.
      modified: 631_152_000 + random.fraction() * 157_766_400,
      payload: Self.payload(bytes, payload, &random))
  }

  /// Returns a generated payload of `count` bytes, either random bytes or words.
  public static func payload(_ count: Int, _ kind: Payload, _ random: inout RandomStream) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      let bytes = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<count])
      switch kind {
      case .random: fill(bytes, &random)
      case .text: fillWithWords(bytes, &random)
      }
      filled = count
    }
  }

  private static func fill(_ buffer: UnsafeMutableRawBufferPointer, _ random: inout RandomStream) {
    var offset = 0
    while offset + 8 <= buffer.count {
      buffer.storeBytes(of: random.next().littleEndian, toByteOffset: offset, as: UInt64.self)
      offset += 8
    }
    var rest = random.next()
    while offset < buffer.count {
      buffer[offset] = UInt8(truncatingIfNeeded: rest)
      rest >>= 8
      offset += 1
    }
  }

  private static func fillWithWords(_ buffer: UnsafeMutableRawBufferPointer, _ random: inout RandomStream) {
    var offset = 0
    while offset < buffer.count {
      for byte in SampleText.words[random.below(SampleText.words.count)].utf8 where offset < buffer.count {
        buffer[offset] = byte
        offset += 1
      }
    }
  }
}

/// The word lists from which the names, groups and text payloads of generated records are made.
enum SampleText {
  /// Names in many scripts, such as Latin, Greek and Chinese, with one to four bytes per character.
  static let names = [
    "Anna Berg", "José Núñez", "Zoë Müller", "Łukasz Żak", "Αλέξανδρος", "Ольга Иванова", "محمد علي", "अनिता राव",
    "王小明", "山田太郎", "김민준", "Ngọc Trần", "O'Brien", "Siân 🌿", "van der Meer", "Þóra",
  ]
  static let groups = ["north", "süd", "восток", "西", "centre"]
  static let words = [
    "the ", "store ", "keeps ", "one ", "record ", "and ", "another ", "page ", "of ", "words ", "until ", "somebody ",
    "asks ", "for ", "it ", "again ",
  ]
}
