extension Profile {
  /// The profile that counts system calls without timing, so that CI can compare the counts.
  static let counts = Profile(
    id: "counts", summary: "Exact counts of every available backend and workload at N = 100; nothing is timed.",
    blocks: [
      Block(workloads: "*", records: [100]),
      Block(workloads: "save-one", records: [1_000]),
    ],
    rounds: 0, includesFloors: true)
}
