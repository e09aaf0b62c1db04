/// The load of other processes and virtual machines during a measurement. Such load makes the measured times longer.
public struct Interference: Sendable, Codable, Equatable {
  /// The time from the start of the first operation to the end of the last, in nanoseconds. Untimed work between
  /// operations is included.
  public var window: Int64
  /// The time in nanoseconds that the measuring thread or its child processes waited for a processor. Nil for several
  /// threads.
  public var waited: Int64?
  /// The number of times that the kernel preempted the measuring thread.
  public var preemptions: Int
  /// The period of the kernel's timer, in nanoseconds.
  public var tick: Int64
  /// The processor time that the hypervisor gave to other virtual machines, in nanoseconds, summed over all processors.
  public var stolen: Int64
  /// The time of a test sync of 4 KiB before the first operation, in nanoseconds. Nil if no operation syncs.
  public var syncBefore: Int64?
  /// The time of a test sync of 4 KiB after the last operation, in nanoseconds. Nil if no operation syncs.
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

  /// Whether other processes made the measured times unreliable.
  public var isDisturbed: Bool { hasWaited || hasUnevenSyncs }

  private var lost: Int64 { max(waited ?? 0, stolen > 10_000_000 ? stolen : 0) }

  /// The share of the measuring time, from 0 to 1, in which other processes or virtual machines held the processor.
  public var waitShare: Double { window > 0 ? min(1, Double(lost) / Double(window)) : 0 }

  // On a quiet machine, 99 of 100 trials waited for less than 5 % of the time. With endless loops on both cores, half
  // waited for 48 % or more.
  /// Whether other processes or virtual machines stopped the measurement for over 5 % of its duration, and for more
  /// than one kernel ``tick``.
  public var hasWaited: Bool { lost > tick && waitShare > 0.05 }

  /// Whether the test sync before the operations and the test sync after them differ in time by more than a factor of
  /// 3.
  public var hasUnevenSyncs: Bool {
    guard let before = syncBefore, let after = syncAfter else { return false }
    return max(before, after) > 3 * min(before, after)
  }
}
