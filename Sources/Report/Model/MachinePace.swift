import StorageContract
import StorageRunFiles
import StorageStatistics

/// The changes of the machine's speed during a run. They are derived from the time of each trial (measuring process),
/// divided by the median time of all trials with the same backend, workload and size.
public struct Drift: Sendable, Equatable {
  /// A period of the run in which several trials (measuring processes) started.
  public struct Window: Sendable, Equatable {
    /// The start of the period, in seconds since the first trial (measuring process).
    public var from: Double
    /// The end of the period, in seconds since the first trial (measuring process).
    public var to: Double
    /// The median factor by which trials (measuring processes) of the period took longer than is usual in the run.
    /// Above 1, the machine was slow.
    public var ratio: Double
    /// The number of trials (measuring processes) that started in the period.
    public var trials: Int
    /// Whether the period's trials sync in every operation, so that their time depends on the disk. The time of all
    /// other trials depends on the processor.
    public var isSyncing: Bool
  }

  /// The periods, sorted by time. Trials (measuring processes) that sync in every operation have separate periods from
  /// all others.
  public let windows: [Window]

  /// The factor ``Window/ratio`` above which a period counts as unusually slow. Below 1/1.25, it counts as unusually
  /// fast.
  public static let bad = 1.25

  static let fewestTrials = 3

  /// The periods in which the machine was unusually slow or fast, by the limit ``bad``.
  public var badWindows: [Window] { windows.filter { $0.ratio > Self.bad || $0.ratio < 1 / Self.bad } }

  /// Computes the changes of a machine's speed during a run.
  ///
  /// - Parameters:
  ///   - trials: For each timed trial (measuring process): its start in seconds, the index of its benchmark (one
  ///     backend doing one workload at one size), and its typical time.
  ///   - isSyncing: Returns whether the benchmark at an index syncs in every operation.
  public init(_ trials: [(started: Double, cell: Int, time: Double)], isSyncing: (Int) -> Bool) {
    var times: [Int: [Double]] = [:]
    for trial in trials where trial.time > 0 { times[trial.cell, default: []].append(trial.time) }
    // One or two trials (measuring processes) of a benchmark are too few to show its usual time.
    let usual = times.filter { $0.value.count >= 3 }.compactMapValues { Quantile.median(of: $0.sorted()) }
    guard let first = trials.map(\.started).min(), let last = trials.map(\.started).max() else {
      windows = []
      return
    }
    // A period has about a dozen trials (measuring processes), so that a single one does not dominate its median.
    let width = max((last - first) / Double(min(48, max(1, trials.count / 12))), 0.25)
    struct Key: Hashable {
      var window: Int
      var isSyncing: Bool
    }
    var ratios: [Key: [Double]] = [:]
    for trial in trials where trial.time > 0 {
      guard let usual = usual[trial.cell] else { continue }
      let key = Key(window: Int((trial.started - first) / width), isSyncing: isSyncing(trial.cell))
      ratios[key, default: []].append(trial.time / usual)
    }
    windows = ratios.filter { $0.value.count >= Self.fewestTrials }.compactMap { key, ratios in
      Quantile.median(of: ratios.sorted()).map {
        Window(
          from: Double(key.window) * width, to: Double(key.window + 1) * width, ratio: $0, trials: ratios.count,
          isSyncing: key.isSyncing)
      }
    }.sorted { ($0.from, $0.isSyncing ? 1 : 0) < ($1.from, $1.isSyncing ? 1 : 0) }
  }
}

/// The check that a machine was quiet enough for measurements. It uses the times of small test tasks (probes) that were
/// repeated during the run.
public enum MachineFitness {
  /// Returns the reason why the machine was not quiet enough to judge times. Nil if it was quiet enough.
  ///
  /// - Parameter allowsFew: Whether too few samples are accepted. A report accepts them, so that a short run is not
  ///   called disturbed. A check in CI does not.
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
