/// The load that other processes put on the machine while a trial (a measuring process) was timed.
///
/// If a trial waited for other processes, its times say nothing about an engine. In a test, two endless loops occupied
/// both cores, and half of the trials waited for a processor for 48 % of their time or more. On a quiet machine, 99 of
/// 100 trials waited for less than 5 %.
public struct Interference: Sendable, Codable, Equatable {
  /// The nanoseconds from the start of the first operation to the end of the last, including untimed work in between.
  public var window: Int64
  /// The nanoseconds of ``window`` in which the measuring thread was ready to run but waited for a processor. If the
  /// operations launch processes, the value is the waiting time of those processes instead. The value is nil for
  /// several measuring threads, because they also wait for each other.
  public var waited: Int64?
  /// The number of times that the kernel preempted the measuring thread.
  public var preemptions: Int
  /// The period of the kernel's timer, in nanoseconds.
  public var tick: Int64
  /// The nanoseconds during ``window`` that the hypervisor gave to other guests, summed over all processors.
  public var stolen: Int64
  /// The nanoseconds for a test write of 4 KiB with a sync in the store's directory, before the first operation. Nil if
  /// no operation syncs.
  public var syncBefore: Int64?
  /// The nanoseconds for a test write of 4 KiB with a sync in the store's directory, after the last operation. Nil if
  /// no operation syncs.
  public var syncAfter: Int64?

  /// Creates a record of the interference while a trial (a measuring process) was timed.
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

  /// Whether other load made the trial (a measuring process) wait so long that the times do not represent the engine.
  public var isDisturbed: Bool { hasWaited || hasUnevenSyncs }

  private var lost: Int64 { max(waited ?? 0, stolen > 10_000_000 ? stolen : 0) }

  /// The share of ``window``, from 0 to 1, that the trial lost to other load: the larger of ``waited`` and ``stolen``.
  /// Stolen time up to 10 ms is ignored.
  public var waitShare: Double { window > 0 ? min(1, Double(lost) / Double(window)) : 0 }

  /// Whether the trial (a measuring process) waited for more than 5 % of ``window`` and for more than one ``tick`` of
  /// the kernel's timer.
  public var hasWaited: Bool { lost > tick && waitShare > 0.05 }

  /// Whether the larger of ``syncBefore`` and ``syncAfter`` is more than three times the smaller.
  public var hasUnevenSyncs: Bool {
    guard let before = syncBefore, let after = syncAfter else { return false }
    return max(before, after) > 3 * min(before, after)
  }
}
