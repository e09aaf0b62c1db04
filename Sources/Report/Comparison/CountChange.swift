import StorageContract
import StorageRunFiles
import StorageStatistics

/// A count, such as of syncs or of bytes written, before and after a change of the program.
public struct CountChange: Sendable, Codable, Equatable {
  /// The name of what is counted, see `Measure.name`.
  public var metric: String
  /// The unit of the counts, `B` or `calls`.
  public var unit: String
  /// The number of operations over which the counts ``base`` and ``head`` are summed.
  public var operations: Int
  /// The count before the change of the program, summed over all ``operations``.
  public var base: Int
  /// The count after the change of the program, summed over all ``operations``.
  public var head: Int
  /// The share by which the count may grow before the verdict is `more`: 0.05 for 5 %.
  public var tolerance: Double

  /// Creates a change of a count.
  public init(metric: String, unit: String, operations: Int, base: Int, head: Int, tolerance: Double) {
    self.metric = metric
    self.unit = unit
    self.operations = operations
    self.base = base
    self.head = head
    self.tolerance = tolerance
  }

  /// The verdict on the counts: `ChangeVerdict.more`, `ChangeVerdict.fewer` or `ChangeVerdict.same`.
  public var verdict: ChangeVerdict { ChangeVerdict(count: base, head, tolerance: tolerance) }
}

/// The time of an operation before and after a change of the program.
public struct TimeChange: Sendable, Codable, Equatable {
  /// The time of an operation before the change, in nanoseconds. It is the median over the processes of their typical
  /// times (see `Timing.typical`), or of their mean times if ``comparesMeans``.
  public var base: Double
  /// The time of an operation after the change, in nanoseconds, computed like ``base``.
  public var head: Double
  /// The time of ``head`` divided by that of ``base``. It is the median of the quotients of all pairs of processes.
  /// Without pairs, it is the quotient of ``head`` and ``base``.
  ///
  /// For a pair's quotient, the time of a process is the lower quartile of its times, or their mean if
  /// ``comparesMeans``.
  public var ratio: Double
  /// The lower end of the confidence interval of ``ratio``. Nil if there is no interval.
  public var low: Double?
  /// The upper end of the confidence interval of ``ratio``. Nil if there is no interval.
  public var high: Double?
  /// The number of pairs of processes: one before and one after the change. If 0, the change is shown without a
  /// verdict.
  public var pairs: Int
  /// The share by which times may differ and still count as equal: 0.05 for 5 %.
  public var margin: Double
  /// Whether the ``pairs`` of processes are from a second measurement, which is made if the first one found a change.
  public var isConfirmed: Bool
  /// Whether mean times are compared instead of typical times. They are compared if only one of the two sides timed
  /// operations in batches.
  public var comparesMeans: Bool
  /// The smallest change, as a share, that these ``pairs`` of processes would have found; see `PairedStage`. Nil
  /// without pairs.
  public var smallestDetectable: Double?
  /// The times of an operation before the change, one for each process, in nanoseconds. ``base`` is their median. Other
  /// programs use them for statistics.
  public var baseProcesses: [Double]
  /// The times of an operation after the change, one for each process, in nanoseconds. ``head`` is their median. Other
  /// programs use them for statistics.
  public var headProcesses: [Double]

  /// Creates a change of a time.
  public init(
    base: Double, head: Double, ratio: Double, low: Double? = nil, high: Double? = nil, pairs: Int = 0,
    margin: Double, isConfirmed: Bool = false, comparesMeans: Bool = false, smallestDetectable: Double? = nil,
    baseProcesses: [Double] = [], headProcesses: [Double] = []
  ) {
    self.base = base
    self.head = head
    self.ratio = ratio
    self.low = low
    self.high = high
    self.pairs = pairs
    self.margin = margin
    self.isConfirmed = isConfirmed
    self.comparesMeans = comparesMeans
    self.smallestDetectable = smallestDetectable
    self.baseProcesses = baseProcesses
    self.headProcesses = headProcesses
  }
}
