import StorageContract
import StorageRunFiles
import StorageStatistics

/// How the machine's pace changed over a run, seen from its own trials: each timed trial against the median of all
/// trials of its cell. A cell is measured once a round, so that a slow stretch shows in many cells at once.
public struct Drift: Sendable, Equatable {
  /// A stretch of the run.
  public struct Window: Sendable, Equatable {
    /// Seconds since the first trial.
    public var from: Double
    /// Seconds since the first trial.
    public var to: Double
    /// By which factor its trials took longer than usual, in the middle; above 1 is slow.
    public var ratio: Double
    /// How many trials it holds.
    public var trials: Int
    /// Whether its trials sync in every operation: these depend on the disk, the others on the processor.
    public var isSyncing: Bool
  }

  /// The stretches of both kinds, by time.
  public let windows: [Window]

  /// The factor from which a stretch counts as off pace.
  public static let bad = 1.25

  /// A stretch with fewer trials of its kind is left out.
  static let fewestTrials = 3

  /// The stretches that were off pace.
  public var badWindows: [Window] { windows.filter { $0.ratio > Self.bad || $0.ratio < 1 / Self.bad } }

  /// Looks at trials.
  ///
  /// - Parameters:
  ///   - trials: When each timed trial began, in seconds; the place of its cell; its typical time.
  ///   - isSyncing: Whether a cell syncs in every operation.
  public init(_ trials: [(started: Double, cell: Int, time: Double)], isSyncing: (Int) -> Bool) {
    var times: [Int: [Double]] = [:]
    for trial in trials where trial.time > 0 { times[trial.cell, default: []].append(trial.time) }
    // A cell that was measured once or twice says nothing of what is usual.
    let usual = times.filter { $0.value.count >= 3 }.compactMapValues { Quantile.median(of: $0.sorted()) }
    guard let first = trials.map(\.started).min(), let last = trials.map(\.started).max() else {
      windows = []
      return
    }
    // Stretches of a dozen trials or so: fewer say more of themselves than of the machine.
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

/// What the samples of a run say.
public enum MachineFitness {
  /// Why no time may be judged, or nil if the machine was fit.
  public static func defect(_ samples: [ProbeSample]) -> String? {
    let series = [
      ("an integer loop", samples.map(\.loop)), ("writing 1 MiB with a sync", samples.compactMap(\.write)),
    ]
    for (name, values) in series {
      switch Fitness.defect(of: values) {
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
