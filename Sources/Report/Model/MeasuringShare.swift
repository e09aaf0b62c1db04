import StorageContract
import StorageRunFiles

/// How much of a run's time was measuring.
///
///     share = (sum of Timing.elapsed and Timing.singlesElapsed over timed trials
///              + sum of Cost.syncsSettled over cost passes x MachineEnvironment.syncCost) / MachineEnvironment.wall
///
/// The timed part of a trial is what its figures were made of: warm-ups, preparing, verifying and the starting of
/// processes are not in it. A cost pass times nothing, and may lie in memory, where a sync takes no time: what it
/// measures is worth the syncs that it has counted at what one costs on the run's disk.
public struct MeasuringShare: Equatable, Sendable {
  /// Seconds of the timed parts.
  public let timed: Double
  /// Syncs that were counted.
  public let syncs: Int
  /// Seconds that as many take, by the probed cost of one.
  public let synced: Double
  /// Seconds from the run's start to its end, those before an interruption included.
  public let wall: Double

  /// 0 to 1; more, and then no share of anything, where what was counted in memory would have taken longer on the disk than
  /// the run took: a sync is slow there, or other programs have made it so while it was probed.
  public var share: Double { (timed + synced) / wall }

  /// What a run's trials have measured, added up one by one: a run may have more of them than fit into memory.
  public struct Measured: Equatable, Sendable {
    fileprivate var hasTimed = false
    /// Nanoseconds.
    fileprivate var timed = 0.0
    fileprivate var syncs = 0

    /// Nothing yet.
    public init() {}

    /// Adds a trial.
    public mutating func add(_ trial: Trial) {
      syncs += trial.cost?.syncsSettled ?? 0
      guard let timing = trial.timing else { return }
      hasTimed = true
      timed += Double(timing.elapsed) + Double(timing.singlesElapsed ?? 0)
    }
  }

  /// The share of a run's time, which its environment has.
  ///
  /// - Returns: Nil where nothing was timed, or it is not known how long the run took, or what a sync costs.
  public init?(_ measured: Measured, _ environment: MachineEnvironment) {
    guard measured.hasTimed, let wall = environment.wall, wall > 0 else { return nil }
    guard measured.syncs == 0 || environment.syncCost != nil else { return nil }
    self.wall = wall
    syncs = measured.syncs
    timed = measured.timed / 1e9
    synced = Double(syncs) * (environment.syncCost ?? 0) / 1e9
  }

  /// "57 % of this run was measuring: ...", or why no share can be told.
  public var sentence: String {
    guard share <= 1 || syncs == 0 else {
      let one = Self.seconds(synced / Double(syncs))
      return "The share of measuring in this run is unknown: at \(one) each, "
        + "\(Quantity.counted(syncs, "counted sync")) would take \(Self.seconds(synced)) on its disk, and the whole run "
        + "took \(Self.seconds(wall))."
    }
    let parts = [
      "timed parts \(Self.seconds(timed))",
      syncs > 0 ? "\(Quantity.counted(syncs, "counted sync")) worth \(Self.seconds(synced))" : nil,
    ].compactMap { $0 }
    return "\(Quantity.whole(share * 100)) % of this run was measuring: \(parts.joined(separator: " and ")) "
      + "of \(Self.seconds(wall))."
  }

  private static func seconds(_ seconds: Double) -> String { NumberFormat.time(seconds * 1e9) }
}
