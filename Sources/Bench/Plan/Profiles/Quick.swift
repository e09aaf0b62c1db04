extension Profile {
  /// The profile `quick`, which answers the most common questions in one to two minutes.
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
}
