import StorageContract
import StorageRunFiles
import StorageStatistics

/// The changes of the machine's speed during a benchmark run, computed from the times of its trials.
public struct Drift: Sendable, Equatable {
  /// One of the equally long periods of a benchmark run, and the machine's speed in this period.
  public struct Window: Sendable, Equatable {
    /// The start of this period of the benchmark run, in seconds since the start of the first trial.
    public var from: Double
    /// The end of this period of the benchmark run, in seconds since the start of the first trial.
    public var to: Double
    /// The slowdown of the benchmarks in this period: 1.2 means that an operation takes 1.2 times its median time in
    /// the whole run.
    public var ratio: Double
    /// The number of trials in this period of the benchmark run.
    public var trials: Int
    /// Whether the trials in this period sync the disk. Trials without syncs are in a separate period with the same
    /// start and end.
    public var isSyncing: Bool
  }

  /// The periods of the benchmark run in chronological order. Trials with syncs and trials without have separate
  /// periods. Periods with fewer than three trials are omitted.
  public let windows: [Window]

  /// The limit for ``Window/ratio``: above 1.25, the machine counts as unusually slow, and below 1 / 1.25 as unusually
  /// fast.
  public static let bad = 1.25

  static let fewestTrials = 3

  /// The periods of the benchmark run in which the machine was unusually slow or fast.
  public var badWindows: [Window] { windows.filter { $0.ratio > Self.bad || $0.ratio < 1 / Self.bad } }

  /// Computes the changes of the machine's speed during a benchmark run.
  ///
  /// - Parameters:
  ///   - trials: The timed trials, each with its start in seconds, benchmark index and time of an operation.
  ///   - isSyncing: Returns whether the operations of the benchmark with this index sync the disk.
  public init(_ trials: [(started: Double, cell: Int, time: Double)], isSyncing: (Int) -> Bool) {
    let timed = trials.filter { $0.time > 0 }
    // One or two trials of a benchmark are too few to show its usual time.
    let usual = Dictionary(grouping: timed, by: \.cell).filter { $0.value.count >= 3 }
      .compactMapValues { Quantile.median(of: $0.map(\.time).sorted()) }
    guard let first = trials.map(\.started).min(), let last = trials.map(\.started).max() else {
      windows = []
      return
    }
    // A period has about a dozen trials, so that a single trial does not dominate its median.
    let width = max((last - first) / Double(min(48, max(1, trials.count / 12))), 0.25)
    let ratios = timed.compactMap { trial in
      usual[trial.cell].map {
        (window: Int((trial.started - first) / width), isSyncing: isSyncing(trial.cell), ratio: trial.time / $0)
      }
    }
    windows = ratios.grouped { [$0.window, $0.isSyncing ? 1 : 0] }.compactMap { key, members in
      guard members.count >= Self.fewestTrials, let ratio = Quantile.median(of: members.map(\.ratio).sorted())
      else { return nil }
      return Window(
        from: Double(key[0]) * width, to: Double(key[0] + 1) * width, ratio: ratio, trials: members.count,
        isSyncing: key[1] == 1)
    }.sorted { ($0.from, $0.isSyncing ? 1 : 0) < ($1.from, $1.isSyncing ? 1 : 0) }
  }
}

/// A check that the machine was quiet: equal test tasks took equal times, and other virtual machines used little
/// processor time.
public enum MachineFitness {
  /// Returns the reason why the machine was too busy for reliable times. Nil if it was quiet enough.
  ///
  /// - Parameter allowsFew: Whether fewer than three samples are accepted, as in the report on a short run.
  public static func defect(_ samples: [ProbeSample], allowsFew: Bool = false) -> String? {
    let series = [
      ("an integer loop", samples.map(\.loop)), ("writing 1 MiB with a sync", samples.compactMap(\.write)),
    ]
    for (name, values) in series {
      switch Fitness.defect(of: values) {
      case .tooFew where allowsFew: break
      case .tooFew(let count): return "\(name) was tried \(count == 1 ? "once" : "\(count) times") only"
      case .spread(let spread):
        return
          "\(name), tried \(values.count) times, scatters by \(NumberFormat.plusMinus(spread)) (a quiet machine: up to 30 %)"
      case .outliers(let share):
        return
          "\(name), tried \(values.count) times, took more than twice its usual time in \(Quantity.whole(share * 100)) % of them"
      case nil: break
      }
    }
    guard let first = samples.first, let last = samples.last, let before = first.steal, let after = last.steal,
      let start = first.ticks, let end = last.ticks, let share = Fitness.excessiveSteal(after - before, of: end - start)
    else { return nil }
    return "the hypervisor gave \(Quantity.whole(share * 100)) % of the time to others"
  }
}
