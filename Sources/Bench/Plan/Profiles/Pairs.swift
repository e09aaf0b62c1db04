import StorageReport

extension Profile {
  static let pairs = Profile(
    id: "pairs",
    summary: "Two ways to do one thing, side by side: \(RowPairs.all.count) pairs of rows that differ in one option.",
    blocks: RowPairs.all.flatMap { pair in
      pair.sizes.flatMap { size in
        [pair.slower, pair.faster].map { way in
          Block(
            workloads: way.workload == "*" ? pair.workloads : way.workload,
            backends: way.backend == "*" ? size.backends : way.backend, records: [size.records])
        }
      }
    },
    trialTime: 50_000_000)
}
