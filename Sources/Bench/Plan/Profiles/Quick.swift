extension Profile {
  /// The headline questions, in a minute.
  static let quick = Profile(
    id: "quick", summary: "The headline questions, answered in a minute: 50 ms trials, 6 rounds.",
    blocks: [
      Block(workloads: "save-one", records: [100, 1_000, 10_000]),
      Block(workloads: "save-one", records: [10_000], durabilities: [.durable], onlyWhereSettingsDiffer: true),
      Block(workloads: "import", records: [1_000]),
      Block(workloads: "read-one,load-all,launch-warm:until=screen", records: [10_000]),
    ],
    trialTime: 50_000_000)
}
