import Foundation
import StorageContract
import Testing

@testable import StorageWorkloads

/// Compares the generators with YCSB's published definitions: the classes of core/src/main/java/site/ycsb/generator in
/// github.com/brianfrankcooper/YCSB.
@Suite struct ItemGeneratorTests {
  /// Returns the sum of 1 / k^theta over the first ranks, by the Euler-Maclaurin formula: the first ten thousand terms,
  /// and the rest as an integral with its corrections, whose next term is below 1e-12.
  private func zeta(_ count: Int) -> Double {
    let theta = 0.99
    let exact = min(count, 10_000)
    let first = (1..<exact).reversed().reduce(0) { $0 + pow(Double($1), -theta) }
    let (low, high) = (Double(exact), Double(count))
    return first + (pow(high, 1 - theta) - pow(low, 1 - theta)) / (1 - theta) + (pow(low, -theta) + pow(high, -theta))
      / 2
      + theta * (pow(low, -theta - 1) - pow(high, -theta - 1)) / 12
  }

  /// Returns the number of draws of each item.
  private func counts(_ generator: inout any ItemGenerator, there: Int, draws: Int) -> [Int] {
    var counts = Array(repeating: 0, count: there)
    for draw in 0..<draws {
      var random = RandomStream(seed: 3, .key, draw)
      counts[generator.item(of: there, &random)] += 1
    }
    return counts
  }

  @Test func zetaIsTheSumOfTheDefinition() {
    #expect(Zipfian.zeta(1) == 1)
    #expect(abs(Zipfian.zeta(2) - (1 + pow(2, -0.99))) < 1e-15)
    for count in [10, 1_000, 100_000] { #expect(abs(Zipfian.zeta(count) - zeta(count)) < 1e-9, "\(count)") }
    // Growing in steps gives the same distribution.
    var grown = Zipfian(count: 10)
    for count in [11, 500, 1_000] { grown.grow(to: count) }
    let whole = Zipfian(count: 1_000)
    for fraction in stride(from: 0.0, to: 1, by: 0.000_7) { #expect(grown.rank(fraction) == whole.rank(fraction)) }
  }

  @Test func thePublishedConstantIsTheSumOverTenThousandMillion() {
    #expect(abs(zeta(ScrambledZipfian.rankCount) - ScrambledZipfian.zeta) < 1e-9)
  }

  /// The keys of the first records that YCSB's load phase stores, from its documentation and from many logs.
  @Test(arguments: [(0, 6_284_781_860_667_377_211), (1, 8_517_097_267_634_966_620), (2, 1_820_151_046_732_198_393)])
  func keysAreThoseOfYCSB(item: Int, key: Int64) {
    #expect(HashedRecords.key(item) == key)
    #expect(HashedRecords.record(item, payload: []).name == "user\(key)")
  }

  @Test func noTwoItemsHaveOneKey() {
    #expect(Set((0..<300_000).map(HashedRecords.key)).count == 300_000)
  }

  @Test func uniformItemsComeAlike() {
    var generator = ItemDistribution.uniform.generator(items: 20, room: 5)
    // Added items are not drawn.
    let counts = counts(&generator, there: 25, draws: 100_000)
    #expect(counts[20...].allSatisfy { $0 == 0 })
    let chiSquare = counts[..<20].reduce(0.0) { $0 + pow(Double($1) - 5_000, 2) / 5_000 }
    // χ² with 19 degrees of freedom exceeds 43.8 for one seed in a thousand, and this seed is fixed.
    #expect(chiSquare < 43.8)
  }

  @Test func scrambledItemsComeAsOftenAsTheirRanks() {
    let (items, draws) = (100_000, 400_000)
    var generator = ItemDistribution.zipfian.generator(items: items, room: 0)
    let counts = counts(&generator, there: items, draws: draws)
    // All other ranks together give an item one part in a hundred thousand, less the shares of the top ranks.
    let tail = 0.5 / Double(items)
    for rank in 0..<8 {
      let item = ScrambledZipfian.item(atRank: rank, of: items)
      #expect(item == Int(HashedRecords.key(rank) % Int64(items)))
      let probability = pow(Double(rank + 1), -0.99) / ScrambledZipfian.zeta + tail
      if rank < 2 {
        #expect(isNear(counts[item], probability, of: draws), "rank \(rank): \(counts[item])")
      } else {
        // From the third rank on, Gray's curve is up to 21 % above the definition, and so is YCSB's.
        let ratio = Double(counts[item]) / Double(draws) / probability
        #expect((0.9...1.25).contains(ratio), "rank \(rank): \(ratio)")
      }
    }
    // The items of the first ranks are the most popular ones.
    let top = counts.indices.sorted { counts[$0] > counts[$1] }.prefix(5)
    #expect(Array(top.prefix(2)) == [0, 1].map { ScrambledZipfian.item(atRank: $0, of: items) })
    // Popular items are scattered over all items.
    #expect(Set(top.map { $0 / 1_000 }).count == 5)
  }

  @Test func itemsThatAreNotThereYetAreNotDrawn() {
    var generator = ItemDistribution.zipfian.generator(items: 50, room: 50)
    #expect(counts(&generator, there: 50, draws: 5_000).count == 50)
    // When items are added, the most popular one stays the same.
    let (few, many) = (counts(&generator, there: 50, draws: 50_000), counts(&generator, there: 100, draws: 50_000))
    let best = { (counts: [Int]) in counts[..<50].indices.max { counts[$0] < counts[$1] } }
    #expect(best(few) == best(many))
    #expect(many[50...].reduce(0, +) > 10_000)
  }

  @Test func theLatestItemsArePopular() {
    let (items, draws) = (1_000, 200_000)
    var generator = ItemDistribution.latest.generator(items: items, room: 0)
    for there in [items, items + 50, items] {
      let counts = counts(&generator, there: there, draws: draws)
      let zeta = zeta(there)
      #expect(isNear(counts[there - 1], 1 / zeta, of: draws))
      #expect(isNear(counts[there - 2], pow(2, -0.99) / zeta, of: draws))
      for rank in 2..<8 {
        let ratio = Double(counts[there - 1 - rank]) / Double(draws) * pow(Double(rank + 1), 0.99) * zeta
        #expect((0.9...1.25).contains(ratio), "rank \(rank): \(ratio)")
      }
      // The newest 60 items get more than half of the requests. The oldest are requested, too.
      #expect(counts[(there - 60)...].reduce(0, +) > draws / 2)
      #expect(counts[..<500].reduce(0, +) > draws / 50)
    }
  }
}

@Suite struct HashedRecordsTests {
  private let base = GeneratedRecords(count: 500, bytes: 30, seed: 4)

  @Test func recordsAreInTheOrderOfTheirKeys() {
    let records = HashedRecords(base)
    #expect(records.count == 500)
    let keys = (0..<500).map { records.key(at: $0) }
    #expect(keys == keys.sorted())
    #expect(Set(keys) == Set((0..<500).map(HashedRecords.key)))
    for index in [0, 17, 499] {
      let record = records.record(at: index)
      #expect(record.id == keys[index])
      #expect(record.name == "user\(record.id)")
      #expect(records.index(of: record.id) == index)
    }
    #expect(records.index(of: 1) == nil)
    #expect(records.index(of: .max) == nil)
    // Every payload of the source occurs once.
    #expect(Set(records.all.map(\.payload)) == Set(base.all.map(\.payload)))
    #expect(records.index(ofFirstFrom: .min) == 0)
    #expect(records.index(ofFirstFrom: keys[3]) == 3)
    #expect(records.index(ofFirstFrom: keys[3] + 1) == 4)
    #expect(records.index(ofFirstFrom: .max) == 500)
  }
}
