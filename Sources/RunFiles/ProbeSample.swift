/// One look at how quick the machine was between two rounds: a line of `probes.jsonl`.
public struct ProbeSample: Codable, Sendable, Equatable {
  /// Seconds since 1970.
  public var started: Double
  /// Nanoseconds of a fixed number of integer operations.
  public var loop: Double
  /// Nanoseconds of writing 1 MiB and syncing it; nil where the directory could not be written.
  public var write: Double?
  /// Processor time that the hypervisor gave to others since boot, in ticks; nil where the system does not tell.
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
