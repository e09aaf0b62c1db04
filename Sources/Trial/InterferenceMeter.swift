import CStorageInstrument
import StorageRunFiles
import StorageWorkloads

/// A meter of the load that other processes cause while a trial times its operations.
struct InterferenceMeter {
  private let began: Int64
  private let before: ci_interference
  private let launched: Int64?
  private let syncBefore: Int64?
  private let directory: String?

  /// The number of disk syncs that are timed before and after the timed operations, to notice other users of the disk.
  private static let syncs: Int32 = 3

  init(_ session: any WorkloadSession, syncsIn directory: String?) {
    self.directory = directory
    syncBefore = Self.sync(directory)
    launched = session.launchedWait
    before = Self.reading()
    began = ci_now()
  }

  /// Returns the load of other processes since this meter was created. Must be called on the thread that created the
  /// meter.
  func interference(_ session: any WorkloadSession) -> Interference {
    let window = ci_now() - began
    let after = Self.reading()
    let waited: Int64? =
      if let launched, let wait = session.launchedWait {
        wait - launched
      } else {
        session.measuresItself ? nil : Int64(after.waited &- before.waited)
      }
    return Interference(
      window: window, waited: waited, preemptions: Int(after.preemptions &- before.preemptions),
      stolen: Int64(after.stolen &- before.stolen), tick: Int64(after.tick), syncBefore: syncBefore,
      syncAfter: Self.sync(directory))
  }

  private static func reading() -> ci_interference {
    var reading = ci_interference()
    _ = ci_read_interference(&reading)
    return reading
  }

  private static func sync(_ directory: String?) -> Int64? {
    guard let directory else { return nil }
    let time = ci_sync_time(directory, syncs)
    return time > 0 ? time : nil
  }
}
