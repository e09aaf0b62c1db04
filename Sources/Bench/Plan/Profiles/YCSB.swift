extension Profile {
  /// The profile of the core workloads of YCSB (Yahoo! Cloud Serving Benchmark), all at the same durability.
  static let ycsb = Profile(
    id: "ycsb",
    summary: "YCSB's workloads A to F: 100,000 records of 10 × 100 bytes, one thread; lmdb and sqlite, durable.",
    blocks: [
      Block(
        workloads: ["a", "b", "c", "d", "e", "f"].map { "mix:ycsb=\($0)" }.joined(separator: ","),
        backends: "lmdb,sqlite", records: [100_000], durabilities: [.durable], recordBytes: 1_000)
    ],
    trialTime: 500_000_000)
}
