extension Profile {
  /// The profile that shows the growth of times and sizes up to a million records. A run takes less than twenty
  /// minutes.
  ///
  /// Each number of records is about three times the previous one. A change of the growth is found only with several
  /// numbers on both sides of the change.
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
    trialTime: 50_000_000,
    limits: [
      Limit(
        concern: .wholeFile, records: 30_000,
        reason: "the profile scale stops whole-file backends at 30,000 records; ask for more with --records"),
      Limit(
        concern: .backend("archive"), records: 3_000, countsBeyond: true,
        reason: "the profile scale times archive to 3,000 records; ask for more with --records"),
    ])
}
