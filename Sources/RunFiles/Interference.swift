/// What else used the machine while a trial's clock ran.
///
/// A time that was made by waiting for others says nothing of an engine: beside two busy loops on two cores, half of the
/// trials waited for a processor for 48 % of their time or more, and 99 of 100 quiet ones for less than 5 %.
public struct Interference: Sendable, Codable, Equatable {
  /// Nanoseconds from the first operation to the last, with everything between.
  public var window: Int64
  /// Nanoseconds of it that the measuring thread was ready to run and waited for a processor; of launches, the launched
  /// processes. Nil where work is shared out among threads, which wait for each other.
  public var waited: Int64?
  /// How often the thread was taken off a processor although it could have gone on.
  public var preemptions: Int
  /// Nanoseconds between two ticks of the kernel's timer.
  public var tick: Int64
  /// Nanoseconds that the hypervisor gave to others meanwhile, all processors together.
  public var stolen: Int64
  /// Nanoseconds of a write of 4 KiB with a sync beside the store, before the first operation; nil where no operation syncs.
  public var syncBefore: Int64?
  /// The same after the last.
  public var syncAfter: Int64?

  /// Creates a record.
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

  /// Whether so much was waited for that the trial's times are not the engine's.
  public var isDisturbed: Bool { hasWaited || hasUnevenSyncs }

  /// Nanoseconds of the window that were spent waiting: for a processor or, where that is more, for the hypervisor. Its
  /// time is told in steps of 10 ms, on whichever processor: one step may be nothing.
  private var lost: Int64 { max(waited ?? 0, stolen > 10_000_000 ? stolen : 0) }

  /// The same as a share of the window, 0 to 1.
  public var waitShare: Double { window > 0 ? min(1, Double(lost) / Double(window)) : 0 }

  /// Whether it waited for more than 5 % of the window and for more than a tick.
  public var hasWaited: Bool { lost > tick && waitShare > 0.05 }

  /// Whether a sync took more than three times as long before as after, or the other way round.
  public var hasUnevenSyncs: Bool {
    guard let before = syncBefore, let after = syncAfter else { return false }
    return max(before, after) > 3 * min(before, after)
  }
}
