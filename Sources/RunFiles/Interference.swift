/// The load that other processes put on the machine while a trial was timed.
///
/// A time that includes waiting for other processes says nothing about an engine. In a test, two endless loops occupied
/// both cores, and half of the trials waited for a processor for 48 % of their time or more. On a quiet machine, 99 of
/// 100 trials waited for less than 5 %.
public struct Interference: Sendable, Codable, Equatable {
  /// The time in nanoseconds from the start of the first operation to the end of the last, with untimed work in
  /// between.
  public var window: Int64
  /// The part of ``window`` in which the measuring thread was ready to run but waited for a processor, in nanoseconds.
  /// If the operations launch processes, the waits of the processes count instead. The value is nil if several threads
  /// share the work, because they also wait for each other.
  public var waited: Int64?
  /// The number of times that the kernel preempted the measuring thread.
  public var preemptions: Int
  /// The period of the kernel's timer, in nanoseconds.
  public var tick: Int64
  /// The time that the hypervisor gave to other machines during ``window``, over all processors, in nanoseconds.
  public var stolen: Int64
  /// The time of a write of 4 KiB with a sync in the directory of the store, before the first operation, in
  /// nanoseconds. The time is nil if no operation syncs.
  public var syncBefore: Int64?
  /// The time of a write of 4 KiB with a sync after the last operation, in nanoseconds.
  public var syncAfter: Int64?

  /// Creates a record of the interference during a trial.
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

  /// Whether other load made the trial wait so long that the trial's times are not those of the engine.
  public var isDisturbed: Bool { hasWaited || hasUnevenSyncs }

  /// The part of ``window`` spent waiting, in nanoseconds: for a processor or, if that is more, for the hypervisor. The
  /// kernel reports stolen time in steps of 10 ms, on any processor, so a single step may mean nothing.
  private var lost: Int64 { max(waited ?? 0, stolen > 10_000_000 ? stolen : 0) }

  /// The share of ``window`` that the trial spent waiting, from 0 to 1.
  public var waitShare: Double { window > 0 ? min(1, Double(lost) / Double(window)) : 0 }

  /// Whether the trial waited for more than 5 % of ``window`` and for more than one ``tick`` of the kernel's timer.
  public var hasWaited: Bool { lost > tick && waitShare > 0.05 }

  /// Whether one of the test writes ``syncBefore`` and ``syncAfter`` took more than three times as long as the other.
  public var hasUnevenSyncs: Bool {
    guard let before = syncBefore, let after = syncAfter else { return false }
    return max(before, after) > 3 * min(before, after)
  }
}
