import Contract

/// A named set of cells.
enum Profile: String, CaseIterable, Sendable {
  /// The headline questions, in a minute.
  case quick
  /// Counts of everything, nothing timed: what a gate in CI compares.
  case counts

  /// What it is for, in one sentence.
  var summary: String {
    switch self {
    case .quick: "The headline questions, answered in a minute: 50 ms trials, 6 rounds."
    case .counts: "Exact counts of every available backend and workload at N = 100; nothing is timed."
    }
  }

  /// One line of a profile: workloads at sizes and durabilities.
  struct Block: Sendable {
    /// Specifications or patterns, as on the command line.
    var workloads: String
    var records: [Int]
    var durabilities: [Durability] = [.shipped]
    /// Whether a row is left out where the same settings already have a row at `shipped`.
    var onlyWhereSettingsDiffer = false
  }

  /// The lines.
  var blocks: [Block] {
    switch self {
    case .quick:
      [
        Block(workloads: "save-one", records: [100, 1_000, 10_000]),
        Block(workloads: "save-one", records: [10_000], durabilities: [.durable], onlyWhereSettingsDiffer: true),
        Block(workloads: "import", records: [1_000]),
        Block(workloads: "read-one,load-all,launch-warm:until=screen", records: [10_000]),
      ]
    case .counts:
      [
        Block(workloads: "*", records: [100]),
        Block(workloads: "save-one", records: [1_000]),
      ]
    }
  }

  /// Timed trials of each cell.
  var rounds: Int {
    switch self {
    case .quick: 6
    case .counts: 0
    }
  }

  /// Nanoseconds that a trial's timed part aims at.
  var trialTime: Int64 {
    switch self {
    case .quick: 50_000_000
    case .counts: 100_000_000
    }
  }

  /// Whether every listed backend takes part, floors included.
  var takesAllBackends: Bool { self == .counts }
}
