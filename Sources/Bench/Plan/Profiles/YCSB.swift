extension Profile {
  /// The profile of YCSB's core workloads as published, with a hundred thousand records of the default size, so that
  /// results can be compared with other YCSB programs. All backends have the same durability level, because otherwise
  /// their throughputs could not be compared.
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
