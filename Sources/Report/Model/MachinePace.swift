import StorageContract
import StorageRunFiles
import StorageStatistics

/// The machine's speed over a run, computed from the trials: each timed trial relative to the median of all trials of
/// its cell. A cell is measured once per round, so a slow period shows in many cells at once.
public struct Drift: Sendable, Equatable {
  /// A period of the run.
  public struct Window: Sendable, Equatable {
    /// The start of the window, in seconds since the first trial.
    public var from: Double
    /// The end of the window, in seconds since the first trial.
    public var to: Double
    /// The median factor by which the window's trials took longer than usual; above 1 is slow.
    public var ratio: Double
    /// The number of trials in the window.
    public var trials: Int
    /// Whether the window's trials sync in every operation. Those depend on the disk, the others on the processor.
    public var isSyncing: Bool
  }

  /// The windows of syncing and of other trials, by time.
  public let windows: [Window]

  /// The factor from which a window's speed counts as unusual.
  public static let bad = 1.25

  /// The minimum number of trials in a window. Windows with fewer are left out.
  static let fewestTrials = 3

  /// The windows in which the machine was unusually slow or fast.
  public var badWindows: [Window] { windows.filter { $0.ratio > Self.bad || $0.ratio < 1 / Self.bad } }

  /// Computes the machine's speed over a run.
  ///
  /// - Parameters:
  ///   - trials: The start of each timed trial in seconds, the index of its cell, and its typical time.
  ///   - isSyncing: Whether a cell syncs in every operation.
  public init(_ trials: [(started: Double, cell: Int, time: Double)], isSyncing: (Int) -> Bool) {
    var times: [Int: [Double]] = [:]
    for trial in trials where trial.time > 0 { times[trial.cell, default: []].append(trial.time) }
    // One or two trials of a cell are too few to show its usual time.
    let usual = times.filter { $0.value.count >= 3 }.compactMapValues { Quantile.median(of: $0.sorted()) }
    guard let first = trials.map(\.started).min(), let last = trials.map(\.started).max() else {
      windows = []
      return
    }
    // A window has about a dozen trials, so that single trials do not dominate.
    let width = max((last - first) / Double(min(48, max(1, trials.count / 12))), 0.25)
    struct Key: Hashable {
      var place: Int
      var isSyncing: Bool
    }
    var ratios: [Key: [Double]] = [:]
    for trial in trials where trial.time > 0 {
      guard let usual = usual[trial.cell] else { continue }
      let key = Key(place: Int((trial.started - first) / width), isSyncing: isSyncing(trial.cell))
      ratios[key, default: []].append(trial.time / usual)
    }
    windows = ratios.filter { $0.value.count >= Self.fewestTrials }.compactMap { key, ratios in
      Quantile.median(of: ratios.sorted()).map {
        Window(
          from: Double(key.place) * width, to: Double(key.place + 1) * width, ratio: $0, trials: ratios.count,
          isSyncing: key.isSyncing)
      }
    }.sorted { ($0.from, $0.isSyncing ? 1 : 0) < ($1.from, $1.isSyncing ? 1 : 0) }
  }
}

/// The judgement whether a machine was quiet enough, by the samples that a run took of it.
public enum MachineFitness {
  /// Returns the reason why no time may be judged, or nil if the machine was quiet enough.
  ///
  /// - Parameter allowsFew: Whether too few samples are accepted. A gate needs enough samples, but a report does not
  ///   call a run disturbed because it was short.
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
