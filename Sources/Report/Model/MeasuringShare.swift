import StorageContract
import StorageRunFiles

/// The part of a benchmark run's duration spent on measured operations, and not on other work, such as filling stores.
public struct MeasuringShare: Equatable, Sendable {
  /// The total time of the timed parts of all trials, in seconds.
  public let timed: Double
  /// The total number of syncs in untimed trials, which only count calls and bytes.
  public let syncs: Int
  /// The estimated time of all ``syncs``, in seconds: their number times the measured time of one sync.
  public let synced: Double
  /// The duration of the benchmark run in seconds. All parts of an interrupted and resumed run count.
  public let wall: Double

  /// The share of the run's duration spent on measuring: 0.57 is 57 %. Above 1, the estimate ``synced`` is too high.
  public var share: Double { (timed + synced) / wall }

  /// The total measured time and number of syncs of a benchmark run, to which trials are added one by one.
  public struct Measured: Equatable, Sendable {
    fileprivate var hasTimed = false
    fileprivate var timed = 0.0
    fileprivate var syncs = 0

    /// Creates a sum without trials: no measured time and no syncs.
    public init() {}

    /// Adds the timed duration and the number of syncs of a trial (a measuring process).
    public mutating func add(_ trial: Trial) {
      syncs += trial.cost?.syncsSettled ?? 0
      guard let timing = trial.timing else { return }
      hasTimed = true
      timed += Double(timing.elapsed) + Double(timing.singlesElapsed ?? 0)
    }
  }

  /// Computes the share of a run spent on measuring. Nil if nothing was timed, or if a needed duration is unknown.
  public init?(_ measured: Measured, _ environment: MachineEnvironment) {
    guard measured.hasTimed, let wall = environment.wall, wall > 0, measured.syncs == 0 || environment.syncCost != nil
    else { return nil }
    self.wall = wall
    syncs = measured.syncs
    timed = measured.timed / 1e9
    synced = Double(syncs) * (environment.syncCost ?? 0) / 1e9
  }

  /// A sentence on the share of measuring in the run's duration, such as `57 % of this run was measuring: ...`.
  public var sentence: String {
    guard share <= 1 || syncs == 0 else {
      let one = Self.seconds(synced / Double(syncs))
      return "The share of measuring in this run is unknown: at \(one) each, "
        + "\(Quantity.counted(syncs, "counted sync")) would take \(Self.seconds(synced)) on its disk, and the whole run "
        + "took \(Self.seconds(wall))."
    }
    let counted = syncs > 0 ? " and \(Quantity.counted(syncs, "counted sync")) worth \(Self.seconds(synced))" : ""
    return "\(Quantity.whole(share * 100)) % of this run was measuring: timed parts \(Self.seconds(timed))\(counted) "
      + "of \(Self.seconds(wall))."
  }

  private static func seconds(_ seconds: Double) -> String { NumberFormat.time(seconds * 1e9) }
}
