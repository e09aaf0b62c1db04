extension Profile {
  static let full = Profile(
    id: "full",
    summary:
      "Every workload and backend in less than 25 minutes: saves at each level and reads in each mode from 100 to "
      + "100,000 records, the rest at 1,000, durable.",
    blocks: [
      Block(workloads: saves, records: sizes),
      // Other backends have the settings for the level `intact` by default.
      Block(workloads: saves, records: sizes, durabilities: [.intact], onlyFor: ["sqlite", "sqlite-queue", "lmdb"]),
      Block(workloads: saves, records: sizes, durabilities: [.durable], onlyWhereSettingsDiffer: true),
      Block(
        workloads: "launch-cold,launch-warm,load-all,iterate,read-one,read-hot,read-missing,read-bytes", records: sizes,
        addsVariants: true),
      // Benchmarks of the blocks above are not repeated, so this block adds mainly the other workloads.
      Block(workloads: "*", records: [1_000], durabilities: [.durable]),
      Block(
        workloads: "transfer:threads=4,readers-writer:readers=8,readers-writer:readers=8:role=writer", records: [1_000],
        durabilities: [.durable]),
    ],
    includesFloors: true, limits: Limits(wholeFile: 10_000, timedArchive: 1_000))

  private static let saves = "save-one,insert-one,delete-one,save-all,import"
  private static let sizes = [100, 1_000, 10_000, 100_000]
}
