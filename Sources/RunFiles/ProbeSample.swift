/// One measurement of the machine's speed between two rounds: a line of `probes.jsonl`.
public struct ProbeSample: Codable, Sendable, Equatable {
  /// Seconds since 1970.
  public var started: Double
  /// The time of a fixed number of integer operations, in nanoseconds.
  public var loop: Double
  /// The time of writing 1 MiB with a sync, in nanoseconds; nil if the directory is not writable.
  public var write: Double?
  /// Processor time that the hypervisor gave to other machines since boot, in ticks; nil if the system does not report
  /// it.
  public var steal: Double?
  /// All processor time since boot, in ticks.
  public var ticks: Double?

  /// Creates a sample.
  public init(started: Double, loop: Double, write: Double? = nil, steal: Double? = nil, ticks: Double? = nil) {
    self.started = started
    self.loop = loop
    self.write = write
    self.steal = steal
    self.ticks = ticks
  }
}
