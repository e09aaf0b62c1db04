extension Profile {
  /// The profile `quick`: a choice of benchmarks that answers the most common questions, such as how long a save takes.
  /// A run takes one to two minutes.
  static let quick = Profile(
    id: "quick",
    summary:
      "The most common questions in a minute and a half: 20 ms trials (saves into a log: 50 or 100 ms), 6 rounds.",
    blocks: [
      Block(workloads: "save-one", records: [100, 1_000, 10_000]),
      // At the level `intact`, SQLite is in WAL mode with synchronous NORMAL, as in Core Data, DatabasePool and many
      // apps. Other backends have the settings for this level by default.
      Block(
        workloads: "save-one", records: [100, 1_000, 10_000], durabilities: [.intact],
        onlyFor: ["sqlite", "sqlite-queue"]),
      Block(
        workloads: "save-one", records: [100, 1_000, 10_000], durabilities: [.durable], onlyWhereSettingsDiffer: true),
      Block(workloads: "import", records: [1_000]),
      // Reads have the sizes and settings of the saves, because a recommendation adds the times of reads and saves of
      // one store.
      Block(workloads: "read-one", records: [100, 1_000, 10_000], addsVariants: true),
      Block(workloads: "launch-warm:until=screen", records: [1_000, 10_000]),
      Block(workloads: "load-all", records: [10_000]),
    ],
    trialTime: 20_000_000)
}
