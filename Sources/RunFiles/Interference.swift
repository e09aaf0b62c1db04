/// The load of other processes on the machine during a measurement. If a measuring process waits for other processes,
/// its times are not those of the engine.
public struct Interference: Sendable, Codable, Equatable {
  /// The time in nanoseconds from the start of the first operation to the end of the last, including untimed work in
  /// between.
  public var window: Int64
  /// The time in nanoseconds in which the measuring thread, or the processes that it launched, were ready to run but
  /// waited for a processor. Nil for several measuring threads, because these also wait for each other.
  public var waited: Int64?
  /// The number of times that the kernel preempted the measuring thread.
  public var preemptions: Int
  /// The period of the kernel's timer, in nanoseconds.
  public var tick: Int64
  /// The processor time during the measurement (``window``), in nanoseconds, that the hypervisor gave to other virtual
  /// machines. It is the sum over all processors.
  public var stolen: Int64
  /// The time of a test sync before the first operation, in nanoseconds: a 4 KiB write with a sync in the store's
  /// directory. Nil if no operation syncs.
  public var syncBefore: Int64?
  /// The time of a test sync after the last operation, in nanoseconds: a 4 KiB write with a sync in the store's
  /// directory. Nil if no operation syncs.
  public var syncAfter: Int64?

  /// Creates a record of the load of other processes during a measurement.
  public init(
    window: Int64, waited: Int64?, preemptions: Int = 0, stolen: Int64 = 0, tick: Int64 = 4_000_000,
    syncBefore: Int64? = nil, syncAfter: Int64? = nil
  ) {
    self.tick = tick
    self.window = window
    self.waited = waited
    self.preemptions = preemptions
    self.stolen = stolen
    self.syncBefore = syncBefore
    self.syncAfter = syncAfter
  }

  /// Whether other processes disturbed the measurement so much that its times are not those of the engine.
  public var isDisturbed: Bool { hasWaited || hasUnevenSyncs }

  private var lost: Int64 { max(waited ?? 0, stolen > 10_000_000 ? stolen : 0) }

  /// The share of the measurement's duration (``window``), from 0 to 1, in which other load stopped the measuring
  /// process. It follows from the larger of ``waited`` and ``stolen``. A value of ``stolen`` up to 10 ms is ignored.
  public var waitShare: Double { window > 0 ? min(1, Double(lost) / Double(window)) : 0 }

  // On a quiet machine, 99 of 100 trials waited for less than 5 % of their time. With two endless loops on both cores,
  // half of the trials waited for 48 % or more.
  /// Whether other load on the machine stopped the measuring process for more than 5 % of the measurement's duration
  /// (``window``), and also for more than one period of the kernel's timer (``tick``), such as 4 ms.
  public var hasWaited: Bool { lost > tick && waitShare > 0.05 }

  /// Whether the times of the test syncs before and after the operations differ by more than a factor of three.
  public var hasUnevenSyncs: Bool {
    guard let before = syncBefore, let after = syncAfter else { return false }
    return max(before, after) > 3 * min(before, after)
  }
}
