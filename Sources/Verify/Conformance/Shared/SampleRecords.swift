import StorageContract

enum SampleRecords {
  static func record(
    _ id: Int64, _ name: String = "name", group: String = "group", score: Double = 0.1, modified: Double = 1_234.567_89,
    payload: [UInt8] = Array("payload".utf8)
  ) -> Record {
    Record(id: id, name: name, group: group, score: score, modified: modified, payload: payload)
  }

  /// Records with values that are difficult to store, such as texts with NUL. The field `group` names the difficulty.
  static let tricky: [Record] = [
    record(.min, "smallest key", group: "smallest key"),
    record(-2, "", group: "", payload: []),
    record(-1, "NUL\0inside\0", group: "\0"),
    record(0, "名前 — 日本語 한국어 中文", group: "グループ"),
    record(1, "👩‍👩‍👧‍👦 🇨🇭 🧑🏽‍🚀", group: "🧪 emoji"),
    record(2, "e\u{301} \u{e9}", group: "composed e\u{301} and not \u{e9}"),
    record(3, "quotes ' \" ` \\ <&> % ? ;", group: "O'Brien\"; DROP TABLE records; --"),
    record(4, " \t\r\n\u{b}\u{c} ", group: "white space"),
    record(5, String(String.UnicodeScalarView((1..<32).compactMap(Unicode.Scalar.init))), group: "control characters"),
    record(6, "\u{feff}\u{200b}\u{202e}\u{fffd}\u{10ffff}", group: "rare characters"),
    record(8, "minus zero", group: "minus zero", score: -0.0, modified: -0.0),
    record(9, "smallest", group: "extreme numbers", score: .leastNonzeroMagnitude, modified: -.greatestFiniteMagnitude),
    record(10, "largest", group: "large numbers", score: 1e300, modified: 9_007_199_254_740_992),
    record(11, "whole", group: "whole numbers", score: -9_007_199_254_740_992, modified: 5),
    record(12, "date", group: "sub-second dates", score: 0.1 + 0.2, modified: 799_999_999.123_456_7),
    record(13, "all bytes", group: "all bytes", payload: (0...255).map { UInt8($0) }),
    record(15, "zeros", group: "zeros", payload: Array(repeating: 0, count: 5_000)),
    record(.max, "largest key", group: "largest key", score: -1.5),
  ]

  /// Records with values that are equal in Swift but have different bytes, such as 0 and -0.
  static let equal: [Record] = [
    record(16, "\u{e9}tude", group: "gr\u{fc}n", score: 0.0, modified: -0.0),
    record(17, "e\u{301}tude", group: "gru\u{308}n", score: -0.0, modified: 0.0),
    record(18, "gr\u{fc}n", group: "e\u{301}tude", score: 0.0, modified: 0.0),
  ]

  /// Sixty records in four groups, with English and Japanese names. Several records have equal scores, and several have
  /// equal dates.
  static let grouped: [Record] = (0..<60).map { number in
    record(
      number, number % 2 == 0 ? "Name \(number)" : "名前 \(number)", group: "g\(number % 4)",
      score: Double(number % 13) / 4 - 1, modified: Double(60 - number / 3))
  }

  static let large: [Record] = [
    record(1, String(repeating: "長い名前 ", count: 20_000), group: "260 kB of text"),
    record(2, "1 MB", group: "1 MB of payload", payload: noise(1_000_000)),
  ]

  static let nonFinite: [Record] = [
    record(20, "infinite", group: "infinity", score: .infinity, modified: -.infinity),
    record(21, "not a number", group: "not a number", score: .nan, modified: .nan),
  ]

  static func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var random = SeededRandom(seed: seed)
    let numbers = (0..<(count + 7) / 8).map { _ in random.next().littleEndian }
    return numbers.withUnsafeBytes { Array($0.prefix(count)) }
  }

  static func filler(_ keys: Range<Int64>, bytes: Int) -> [Change] {
    keys.map { .put(record($0, "filler", payload: noise(bytes, seed: UInt64($0)))) }
  }
}
