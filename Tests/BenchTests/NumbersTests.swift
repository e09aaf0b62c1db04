import ArgumentParser
import StorageContract
import Testing

@testable import StorageBench

@Suite struct NumbersTests {
  private func numbers(_ arguments: String..., profile: Profile? = nil) throws -> Numbers {
    try Numbers(try CellOptions.parse(arguments), profile: profile)
  }

  private func refusal(_ arguments: [String]) -> String {
    do {
      _ = try Numbers(try CellOptions.parse(arguments), profile: nil)
      return "accepted"
    } catch {
      return String(describing: error)
    }
  }

  @Test func whatHoldsWithoutOptions() throws {
    let numbers = try numbers()
    #expect(numbers.records == nil)
    #expect(numbers.recordBytes == nil)
    #expect(numbers.rounds == 6)
    #expect(numbers.trialTime == 100_000_000)
    #expect(numbers.cellLimit == 30_000_000_000)
    #expect(numbers.seed == 1)
    #expect(numbers.durabilities == nil)
  }

  @Test func aProfileHasItsOwn() throws {
    #expect(try numbers(profile: .quick).trialTime == 20_000_000)
    #expect(try numbers(profile: .counts).rounds == 0)
    #expect(try numbers("--rounds", "2", profile: .counts).rounds == 2)
  }

  @Test func everythingGiven() throws {
    let numbers = try numbers(
      "-n", "100,10k,100", "--record-bytes", "1KiB", "--payload", "text", "--durability", "crash,durable", "--cache",
      "cold", "--threads", "1", "--rounds", "20", "--trial-time", "5ms", "--cell-limit", "2m", "--seed",
      "18446744073709551615")
    #expect(numbers.records == [100, 10_000])
    #expect(numbers.recordBytes == 1_024)
    #expect(numbers.payload == .text)
    #expect(numbers.durabilities == [.crash, .durable])
    #expect(numbers.cache == .cold)
    #expect(numbers.rounds == 20)
    #expect(numbers.trialTime == 5_000_000)
    #expect(numbers.cellLimit == 120_000_000_000)
    #expect(numbers.seed == .max)
  }

  @Test(arguments: [
    (["-n", "0"], "--records '0' is not usable; give a whole number from 1 to 100,000,000, such as 100 or 10k"),
    (["-n", "banana"], "--records 'banana' is not usable"),
    (["-n", "99999999999999999999"], "--records '99999999999999999999' is not usable"),
    (["-n", "100,-5"], "--records '-5' is not usable"),
    (["-n", "1.5k"], "--records '1.5k' is not usable"),
    (["-n", "100,,200"], "--records '100,,200' has an empty item"),
    (["--record-bytes", "2G"], "--record-bytes '2G' is not usable"),
    (["--payload", "texts"], "--payload: unknown payload 'texts'; the nearest is 'text'"),
    (["--durability", "safe"], "--durability: unknown durability 'safe'"),
    (["--durability", "durabel"], "the nearest is 'durable'; there are: shipped, crash, intact, durable"),
    (["--cache", "hot"], "--cache: unknown cache state 'hot'"),
    (["--threads", "0"], "--threads '0' is not usable"),
    (["--threads", "2k"], "--threads '2k' is not usable; give a whole number from 1 to 1,024"),
    (["--rounds", "0"], "--rounds '0' is not usable"),
    (["--trial-time", "100"], "--trial-time '100' is not usable; give a time from 1ms to 1h with its unit"),
    (["--trial-time", "0ms"], "--trial-time '0ms' is not usable"),
    (["--cell-limit", "1ms"], "--cell-limit '1ms' is not usable"),
    (["--seed", "-1"], "--seed '-1' is not a seed"),
    (["--seed", "x"], "--seed 'x' is not a seed; give a whole number from 0 to 18446744073709551615"),
  ])
  func refusals(arguments: [String], part: String) {
    // The parser takes "-5" for a flag unless it is joined to its option.
    let joined = arguments[1].hasPrefix("-") ? ["\(arguments[0])=\(arguments[1])"] : arguments
    let refusal = refusal(joined)
    #expect(refusal.contains(part), "\(refusal)")
    #expect(!refusal.contains("\n"))
  }
}
