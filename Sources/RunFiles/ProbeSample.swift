/// A measurement of the machine's speed between two rounds of a run: a line of `probes.jsonl`.
public struct ProbeSample: Codable, Sendable, Equatable {
  /// The start of the measurement of the machine's speed, in seconds since 1970.
  public var started: Double
  /// The time of a test loop with a fixed number of integer operations, in nanoseconds.
  public var loop: Double
  /// The time for writing 1 MiB with a sync, in nanoseconds; nil if the directory is not writable.
  public var write: Double?
  /// The processor time given to other virtual machines since boot, in ticks of the kernel; nil if the system does not
  /// report it.
  public var steal: Double?
  /// The total processor time of the machine since boot, in ticks of the kernel.
  public var ticks: Double?

  /// Creates a measurement of the machine's speed. Each parameter has the unit of the property with the same name.
  public init(started: Double, loop: Double, write: Double? = nil, steal: Double? = nil, ticks: Double? = nil) {
    self.started = started
    self.loop = loop
    self.write = write
    self.steal = steal
    self.ticks = ticks
  }
}
