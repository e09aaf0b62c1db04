import StorageContract
import StorageRunFiles

/// The share of a run's time that was spent on measuring.
///
///     share = (sum of Timing.elapsed and Timing.singlesElapsed over timed trials
///              + sum of Cost.syncsSettled over cost passes × MachineEnvironment.syncCost) / MachineEnvironment.wall
///
/// The timed part of a trial is the basis of its figures. It excludes warm-up, preparation, verification and process
/// starts. A cost pass is not timed, and may run in memory, where a sync takes no time. The formula values a cost pass
/// at its counted syncs, each at the cost of a sync on the run's disk.
public struct MeasuringShare: Equatable, Sendable {
  /// The seconds of the trials' timed parts.
  public let timed: Double
  /// The number of syncs counted in cost passes.
  public let syncs: Int
  /// The seconds that the counted syncs would take, by the measured cost of one sync.
  public let synced: Double
  /// The seconds from the run's start to its end, including those before an interruption.
  public let wall: Double

  /// The share of time spent on measuring, from 0 to 1. A value above 1 is not meaningful: the counted syncs would take
  /// longer than the whole run. Either syncs are slow, or other programs disturbed the measurement of their cost.
  public var share: Double { (timed + synced) / wall }

  /// The totals of a run's trials. Trials are added one by one, because they may not fit into memory.
  public struct Measured: Equatable, Sendable {
    fileprivate var hasTimed = false
    fileprivate var timed = 0.0
    fileprivate var syncs = 0

    /// Creates empty totals.
    public init() {}

    /// Adds a trial to the totals.
    public mutating func add(_ trial: Trial) {
      syncs += trial.cost?.syncsSettled ?? 0
      guard let timing = trial.timing else { return }
      hasTimed = true
      timed += Double(timing.elapsed) + Double(timing.singlesElapsed ?? 0)
    }
  }

  /// Computes the share of a run's time that was spent on measuring.
  ///
  /// - Returns: Nil if nothing was timed, or if the duration of the run or the cost of a sync is unknown.
  public init?(_ measured: Measured, _ environment: MachineEnvironment) {
    guard measured.hasTimed, let wall = environment.wall, wall > 0 else { return nil }
    guard measured.syncs == 0 || environment.syncCost != nil else { return nil }
    self.wall = wall
    syncs = measured.syncs
    timed = measured.timed / 1e9
    synced = Double(syncs) * (environment.syncCost ?? 0) / 1e9
  }

  /// The share in a sentence, "57 % of this run was measuring: ...", or the reason why it is unknown.
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
