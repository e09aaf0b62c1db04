extension Profile {
  /// The profile for the growth of times and sizes. The numbers of records rise by a factor of about three.
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
}
