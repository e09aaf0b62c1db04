import StorageContract
import StorageRunFiles

/// The share of a run's time that was spent on measuring: (``timed`` + ``synced``) / ``wall``.
///
/// Only the timed parts of trials (measuring processes) count, without warm-up, preparation, verification and process
/// start. A cost pass is a process that counts calls and bytes and is not timed. It adds the time that its syncs would
/// take on the run's disk.
public struct MeasuringShare: Equatable, Sendable {
  /// The seconds of the timed parts of all trials (measuring processes), in total.
  public let timed: Double
  /// The number of syncs in cost passes, which are processes that count calls and bytes and are not timed.
  public let syncs: Int
  /// The seconds that the ``syncs`` of the untimed cost passes would take on the run's disk.
  public let synced: Double
  /// The seconds from the start of the run to its end. If the run was interrupted and resumed, all its parts count.
  public let wall: Double

  /// The share of the run's time that was spent on measuring, from 0 to 1.
  ///
  /// A value above 1 is meaningless: the counted syncs would take longer than the whole run. In that case, the measured
  /// cost of a sync is too high, because the disk or other programs delayed that measurement.
  public var share: Double { (timed + synced) / wall }

  /// The sums of measuring time over a run's trials (measuring processes). Trials are added one by one, because all may
  /// not fit into memory.
  public struct Measured: Equatable, Sendable {
    fileprivate var hasTimed = false
    fileprivate var timed = 0.0
    fileprivate var syncs = 0

    /// Creates sums of zero, to which trials (measuring processes) can be added.
    public init() {}

    /// Adds the timed part and the syncs of a trial (measuring process).
    public mutating func add(_ trial: Trial) {
      syncs += trial.cost?.syncsSettled ?? 0
      guard let timing = trial.timing else { return }
      hasTimed = true
      timed += Double(timing.elapsed) + Double(timing.singlesElapsed ?? 0)
    }
  }

  /// Computes the share of a run's time that was spent on measuring. Nil if nothing was timed, or if the duration of
  /// the run or the cost of a sync is unknown.
  public init?(_ measured: Measured, _ environment: MachineEnvironment) {
    guard measured.hasTimed, let wall = environment.wall, wall > 0 else { return nil }
    guard measured.syncs == 0 || environment.syncCost != nil else { return nil }
    self.wall = wall
    syncs = measured.syncs
    timed = measured.timed / 1e9
    synced = Double(syncs) * (environment.syncCost ?? 0) / 1e9
  }

  /// The share in a sentence, such as `57 % of this run was measuring: ...`, or the reason why the share is unknown.
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
