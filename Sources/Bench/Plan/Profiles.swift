import StorageReport

/// The profiles. A new one is also added to ``all``.
extension Profile {
  static let quick = Profile(
    id: "quick",
    summary:
      "The most common questions in a minute and a half: 20 ms trials (saves into a log: 50 or 100 ms), 6 rounds.",
    blocks: [
      Block(workloads: "save-one", records: [100, 1_000, 10_000]),
      // SQLite changes to WAL with synchronous NORMAL at `intact`. Most other backends keep their default settings.
      Block(
        workloads: "save-one", records: [100, 1_000, 10_000], durabilities: [.intact],
        onlyFor: ["sqlite", "sqlite-queue"]),
      Block(
        workloads: "save-one", records: [100, 1_000, 10_000], durabilities: [.durable], onlyWhereSettingsDiffer: true),
      Block(workloads: "import", records: [1_000]),
      // A recommendation adds the times of reads and saves, so reads have the sizes and settings of the saves.
      Block(workloads: "read-one", records: [100, 1_000, 10_000], addsVariants: true),
      Block(workloads: "launch-warm:until=screen", records: [1_000, 10_000]),
      Block(workloads: "load-all", records: [10_000]),
    ],
    trialTime: 20_000_000)

  static let counts = Profile(
    id: "counts", summary: "Exact counts of every available backend and workload at N = 100; nothing is timed.",
    blocks: [
      Block(workloads: "*", records: [100]),
      Block(workloads: "save-one", records: [1_000]),
    ],
    rounds: 0, includesFloors: true)

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

  static let scale = Profile(
    id: "scale",
    summary:
      "How time, bytes, memory and files grow from 1,000 to 1,000,000 records, and where that growth changes, in "
      + "less than 20 minutes; whole-file backends to 30,000.",
    blocks: [
      Block(
        workloads: "save-one,read-one,load-all,import,launch-warm",
        records: [1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000])
    ],
    trialTime: 50_000_000, limits: Limits(wholeFile: 30_000, timedArchive: 3_000))

  static let ycsb = Profile(
    id: "ycsb",
    summary: "YCSB's workloads A to F: 100,000 records of 10 × 100 bytes, one thread; lmdb and sqlite, durable.",
    blocks: [
      Block(
        workloads: ["a", "b", "c", "d", "e", "f"].map { "mix:ycsb=\($0)" }.joined(separator: ","),
        backends: "lmdb,sqlite", records: [100_000], durabilities: [.durable], recordBytes: 1_000)
    ],
    trialTime: 500_000_000)

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
