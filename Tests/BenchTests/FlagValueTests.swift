import StorageContract
import Testing

@testable import StorageBench

@Suite struct FlagValueTests {
  private func refusal(_ arguments: [String]) -> String {
    do {
      _ = try CellOptions.parse(arguments)
      return "accepted"
    } catch {
      return UsageError(ofParser: CellOptions.message(for: error))?.description ?? "the parser's own: \(error)"
    }
  }

  @Test func `every value is read`() throws {
    let cells = try CellOptions.parse([
      "-n", "100,10k,100", "--record-bytes", "1KiB", "--payload", "text", "--durability", "crash,durable", "--cache",
      "cold", "--threads", "1", "--aged", "0,10", "--memory", "all,64MiB", "--rounds", "20", "--trial-time", "5ms",
      "--cell-limit", "2m", "--seed", "18446744073709551615",
    ])
    #expect(cells.records == [100, 10_000])
    #expect(cells.recordBytes == 1_024)
    #expect(cells.payload == .text)
    #expect(cells.durability == [.crash, .durable])
    #expect(cells.cache == .cold)
    #expect(cells.threads == 1)
    #expect(cells.aged == [0, 10])
    #expect(cells.memory == [nil, 64 << 20])
    #expect(cells.rounds == 20)
    #expect(cells.trialTime == 5_000_000)
    #expect(cells.cellLimit == 120_000_000_000)
    #expect(cells.seed == .max)
  }

  @Test(arguments: [
    (["-n", "0"], "-n '0' is not usable; give a whole number from 1 to 100,000,000, such as 100 or 10k"),
    (["-n", "99999999999999999999"], "-n '99999999999999999999' is not usable"),
    (["-n", "100,-5"], "-n '-5' is not usable"),
    (["-n", "100,,200"], "-n '100,,200' has an empty item"),
    (["--record-bytes", "2G"], "--record-bytes '2G' is not usable"),
    (["--memory", "1k"], "--memory '1k' is not usable; give 'all' or a size from 16MiB to 1024TiB"),
    (["--aged", "1,x"], "--aged 'x' is not usable"),
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
  func `what is not usable is named with its flag`(arguments: [String], part: String) {
    // The parser treats "-5" as a flag unless it is joined to its option.
    let joined = arguments[1].hasPrefix("-") ? ["\(arguments[0])=\(arguments[1])"] : arguments
    let refusal = refusal(joined)
    #expect(refusal.contains(part), "\(refusal)")
    #expect(!refusal.contains("\n"))
  }
}
