import StorageReport

extension Profile {
  static let pairs = Profile(
    id: "pairs",
    summary: "Two ways to do one thing, side by side: \(RowPairs.usual.count) pairs of rows that differ in one option.",
    blocks: RowPairs.usual.flatMap(blocks), trialTime: 50_000_000)

  static let tuning = Profile(
    id: "tuning",
    summary: "SQLite's settings, one change at a time: \(RowPairs.tuning.count) recipes beside a plain log.",
    blocks: RowPairs.tuning.flatMap(blocks), trialTime: 50_000_000)

  private static func blocks(_ pair: RowPair) -> [Block] {
    pair.sizes.flatMap { size in
      [pair.slower, pair.faster].map { way in
        Block(
          workloads: way.workload == "*" ? pair.workloads : way.workload,
          backends: way.backend == "*" ? size.backends : way.backend, records: [size.records])
      }
    }
  }
}
