import Foundation
import TestSupport
import Testing

@testable import StorageContract

@Suite struct RecordCodecTests {
  private func encode(_ record: Record) -> [UInt8] {
    // One more byte in front makes every field unaligned.
    var bytes = [UInt8](repeating: 0xAA, count: RecordCodec.encodedSize(of: record) + 1)
    bytes.withUnsafeMutableBytes { buffer in
      RecordCodec.encode(record, into: UnsafeMutableRawBufferPointer(rebasing: buffer[1...]))
    }
    return Array(bytes.dropFirst())
  }

  private static let tricky = [
    Record.sample(.min, name: "", group: "", score: .nan, modified: -0.0),
    Record.sample(.max, name: "a\0b", group: "\0", score: -.infinity, modified: .greatestFiniteMagnitude),
    Record.sample(0, name: "日本語🙂", group: "e\u{301}", score: -0.0, modified: .leastNonzeroMagnitude),
    Record.sample(-1, name: String(repeating: "x", count: 70_000), group: "\u{E9}", payload: [0, 255]),
    Record.sample(1, score: Double(nan: 42, signaling: false), payload: [UInt8](repeating: 7, count: 1 << 20)),
    Record.sample(2, payload: Array([9, 1, 2, 3].dropFirst())),
  ]

  @Test(arguments: 0..<tricky.count) func roundTrips(index: Int) throws {
    let record = Self.tricky[index]
    let bytes = encode(record)
    #expect(bytes.count == record.logicalSize && RecordCodec.withBytes(of: record) { Array($0) } == bytes)
    let copy = try bytes.withUnsafeBytes { try RecordCodec.view($0, key: record.id).record() }
    #expect(copy.isIdentical(to: record))
    #expect(record.withView { $0.record() }.isIdentical(to: record))
  }

  /// Texts are copied in different ways, depending on their length.
  @Test(arguments: 0..<70) func textsOfEveryLengthComeOutWhole(length: Int) {
    for text in [String(decoding: (0..<length).map { UInt8(33 + $0) }, as: UTF8.self)] + SmallTextTests.texts(length) {
      let other = String(text.reversed())
      // The same for short texts that are not stored inline.
      var apart = text
      apart.reserveCapacity(100)
      for (name, group) in [(text, other), (other, text), (apart, text), (text, "")] {
        let bytes = encode(.sample(1, name: name, group: group, payload: [0xFF]))
        #expect(bytes.dropFirst(RecordCodec.headerSize).elementsEqual(Array(name.utf8) + Array(group.utf8) + [0xFF]))
      }
    }
  }

  @Test func layoutIsAsDocumented() {
    let record = Record.sample(5, name: "ab", group: "c", score: 1, modified: 2, payload: [0xFF])
    let expected: [UInt8] =
      [0, 0, 0, 0, 0, 0, 0xF0, 0x3F] + [0, 0, 0, 0, 0, 0, 0, 0x40] + [2, 0, 0, 0] + [1, 0, 0, 0]
      + [0x61, 0x62, 0x63, 0xFF]
    #expect(encode(record) == expected)
  }

  /// A view of malformed bytes lies inside them, or there is an error.
  @Test(arguments: 0..<20) func malformedBytesAreDamaged(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<500 {
      let count = Int.random(in: 0...64, using: &random)
      var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      if count >= 24, Bool.random(using: &random) {
        for offset in [17, 18, 19, 21, 22, 23] { bytes[offset] = 0 }
        bytes[16] &= 63
        bytes[20] &= 63
      }
      bytes.withUnsafeBytes { buffer in
        do {
          let view = try RecordCodec.view(buffer, key: 1)
          #expect(RecordCodec.headerSize + view.name.count + view.group.count + view.payload.count == count)
          for part in [view.name, view.group, view.payload] where !part.isEmpty {
            #expect(
              part.baseAddress! >= buffer.baseAddress!
                && part.baseAddress! + part.count <= buffer.baseAddress! + count)
          }
          _ = view.record()
        } catch {
          guard case .damaged? = error as? StoreError else {
            Issue.record("not damaged but \(error)")
            return
          }
        }
      }
    }
  }
}
