import StorageContract
import StorageRunFiles

/// The share of a benchmark run's duration that was spent on measuring. Measuring includes the timed operations, and
/// the syncs in processes that only count system calls. These processes are not timed, so the time of their syncs is
/// estimated. Warm-up, preparation, verification and process starts do not count.
public struct MeasuringShare: Equatable, Sendable {
  /// The total time of the timed parts of all trials (measuring processes), in seconds.
  public let timed: Double
  /// The total number of syncs in untimed trials (processes that count calls and bytes).
  public let syncs: Int
  /// The estimated time of all ``syncs``, in seconds. It is their number, multiplied by the measured time of one sync.
  public let synced: Double
  /// The duration of the benchmark run in seconds. If the run was interrupted and resumed, all its parts count.
  public let wall: Double

  /// The share of the run's duration that was spent on measuring: 0.57 is 57 %. It includes timed operations and, by
  /// estimate, syncs in processes that only count system calls. A share above 1 is invalid, because the estimate was
  /// too high.
  public var share: Double { (timed + synced) / wall }

  /// The total measured time and the total number of syncs of a benchmark run. Trials (measuring processes) are added
  /// one by one.
  public struct Measured: Equatable, Sendable {
    fileprivate var hasTimed = false
    fileprivate var timed = 0.0
    fileprivate var syncs = 0

    /// Creates sums of zero, to which trials (measuring processes) can be added.
    public init() {}

    /// Adds the duration of a trial's timed part to the total measured time, and the trial's syncs to the total number
    /// of syncs. A trial is one measuring process.
    public mutating func add(_ trial: Trial) {
      syncs += trial.cost?.syncsSettled ?? 0
      guard let timing = trial.timing else { return }
      hasTimed = true
      timed += Double(timing.elapsed) + Double(timing.singlesElapsed ?? 0)
    }
  }

  /// Computes the share of a run's duration that was spent on measuring. Nil if nothing was timed, or if the duration
  /// is unknown. Also nil if syncs were counted, but the time of one sync is unknown.
  public init?(_ measured: Measured, _ environment: MachineEnvironment) {
    guard measured.hasTimed, let wall = environment.wall, wall > 0 else { return nil }
    guard measured.syncs == 0 || environment.syncCost != nil else { return nil }
    self.wall = wall
    syncs = measured.syncs
    timed = measured.timed / 1e9
    synced = Double(syncs) * (environment.syncCost ?? 0) / 1e9
  }

  /// A sentence on the share of the run's duration that was spent on measuring, such as
  /// `57 % of this run was measuring: ...`. If the share is invalid, the sentence states the reason instead.
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
