import Foundation
import StorageContract
import Testing

@testable import StorageWorkloads

@Suite struct GeneratedRecordsTests {
  private func source(
    _ count: Int = 500, bytes: Int = 100, payload: GeneratedRecords.Payload = .random, seed: UInt64 = 1
  ) -> GeneratedRecords {
    GeneratedRecords(count: count, bytes: bytes, payload: payload, seed: seed)
  }

  private func digest(_ source: some RecordSource) -> String {
    var hash = StableHash()
    for record in source.all { record.withView { hash.add($0) } }
    return hash.text
  }

  @Test func recordsOfASeedNeverChange() {
    // Committed counts and digests of old runs are compared with new ones, so another stream needs another version.
    #expect(digest(source(20)) == "27c763abac6eac3d")
    #expect(digest(source(20, seed: 2)) != digest(source(20)))
  }

  @Test func aRecordCanBeHadWithoutThoseBefore() {
    let source = source()
    let all = source.all
    for index in [499, 0, 250] { #expect(source.record(at: index).isIdentical(to: all[index])) }
  }

  @Test(arguments: [GeneratedRecords.Payload.random, .text])
  func payloadsAreUnique(payload: GeneratedRecords.Payload) {
    let payloads = source(2_000, payload: payload).all.map(\.payload)
    #expect(Set(payloads).count == 2_000)
  }

  @Test(arguments: [0, 1, 7, 8, 9, 1_000])
  func anyLengthOfPayload(bytes: Int) {
    for payload in [GeneratedRecords.Payload.random, .text] {
      #expect(source(3, bytes: bytes, payload: payload).all.allSatisfy { $0.payload.count == bytes })
    }
  }

  @Test func randomPayloadsHaveEveryByteAboutAsOften() {
    var counts = Array(repeating: 0, count: 256)
    for record in source(1_000, bytes: 256).all { for byte in record.payload { counts[Int(byte)] += 1 } }
    // A thousand of each is expected. This is χ² with 255 degrees of freedom, which exceeds 330.5 for one seed in a
    // thousand.
    #expect(counts.reduce(0.0) { $0 + pow(Double($1) - 1_000, 2) / 1_000 } < 330.5)
  }

  @Test func textPayloadsAreWords() {
    for record in source(20, payload: .text).all {
      let text = String(decoding: record.payload, as: UTF8.self)
      let words = text.split(separator: " ").dropLast().map { $0 + " " }
      #expect(words.allSatisfy { SampleText.words.contains(String($0)) })
    }
  }

  @Test func keysAreOneToN() {
    let source = source(10)
    #expect((0..<10).map { source.key(at: $0) } == Array(1...10))
    #expect(source.index(of: 0) == nil)
    #expect(source.index(of: 1) == 0)
    #expect(source.index(of: 10) == 9)
    #expect(source.index(of: 11) == nil)
    #expect(source.unusedKey(0) == 11)
    #expect(source.unusedKey(5) == 16)
  }

  @Test func fieldsLookLikeAnApps() {
    let records = source(2_000).all
    #expect(records.contains { !$0.name.utf8.allSatisfy { $0 < 0x80 } })
    #expect(Set(records.map(\.name)).count == 2_000)
    #expect((50...600).contains(Set(records.map(\.group)).count))
    #expect(records.allSatisfy { (0..<1_000).contains($0.score) })
    #expect(records.allSatisfy { (631_152_000..<788_918_400).contains($0.modified) })
  }
}
