import StorageContract
import Testing

@testable import StorageWorkloads

@Suite struct RandomTests {
  @Test func splitMixGivesItsPublishedNumbers() {
    // The first outputs of the reference implementation for seed 1234567.
    var random = RandomStream(seed: 1_234_567)
    #expect(
      (0..<5).map { _ in random.next() } == [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
        4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
      ])
  }

  @Test func streamsOfOtherSeedsPurposesAndIndicesAreOthers() {
    var firsts: Set<UInt64> = []
    for seed in UInt64(0)..<10 {
      for purpose in [RandomStream.Purpose.record, .key, .change, .order] {
        for index in 0..<250 {
          var random = RandomStream(seed: seed, purpose, index)
          firsts.insert(random.next())
        }
      }
    }
    #expect(firsts.count == 10 * 4 * 250)
  }

  @Test(arguments: [1, 2, 3, 7, 100, 1_000_003, Int.max])
  func numbersStayBelowTheirBound(bound: Int) {
    var random = RandomStream(seed: 5)
    for _ in 0..<1_000 { #expect((0..<bound).contains(random.below(bound))) }
  }

  @Test func fractionsCoverTheUnitInterval() {
    var random = RandomStream(seed: 11)
    let fractions = (0..<100_000).map { _ in random.fraction() }
    #expect(fractions.allSatisfy { $0 >= 0 && $0 < 1 })
    #expect(fractions.min()! < 1e-4)
    #expect(fractions.max()! > 1 - 1e-4)
    let mean: Double = fractions.reduce(0, +) / 100_000
    #expect(abs(mean - 0.5) < 0.005)
  }
}

@Suite struct ZipfianTests {
  @Test(arguments: [1, 2, 3, 50])
  func everyFractionHasARank(count: Int) {
    let zipfian = Zipfian(count: count)
    for fraction in [0, 1e-12, 0.3, 0.5, 0.9, 1.0.nextDown] {
      #expect((0..<count).contains(zipfian.rank(fraction)))
    }
  }

  @Test func ranksGrowWithTheFraction() {
    let zipfian = Zipfian(count: 500)
    let ranks = stride(from: 0.0, to: 1, by: 0.001).map { zipfian.rank($0) }
    #expect(ranks == ranks.sorted())
    #expect(ranks.first == 0)
  }
}

@Suite struct StableHashTests {
  /// Test vectors of RFC 9923.
  @Test(
    arguments: [
      ("", 0xCBF2_9CE4_8422_2325), ("a", 0xAF63_DC4C_8601_EC8C), ("foobar", 0x8594_4171_F739_67E8),
    ] as [(String, UInt64)])
  func vectors(text: String, value: UInt64) {
    var hash = StableHash()
    Array(text.utf8).withUnsafeBytes { hash.add($0) }
    #expect(hash.value == value)
  }

  @Test func textIsSixteenDigits() {
    #expect(StableHash().text == "cbf29ce484222325")
    // A hash below 2^60 is padded with zeros.
    let short = (0..<1_000).lazy.map { number -> StableHash in
      var hash = StableHash()
      hash.add(UInt64(number))
      return hash
    }.first { $0.value < 1 << 60 }
    #expect(short?.text.count == 16)
    #expect(short?.text.first == "0")
  }

  @Test func textsDoNotRunIntoEachOther() {
    var (left, right) = (StableHash(), StableHash())
    left.add("ab")
    left.add("c")
    right.add("a")
    right.add("bc")
    #expect(left != right)
  }

  @Test func everyFieldOfARecordCounts() {
    let record = Record.sample(7)
    var variants = [record]
    for change in Record.changes { variants.append(record.with(change.value)) }
    let hashes = variants.map { record in
      var hash = StableHash()
      record.withView { hash.add($0) }
      return hash.value
    }
    #expect(Set(hashes).count == variants.count)
  }
}
