import StorageContract
import StorageRunFiles
import StorageStatistics

/// A count, such as of syncs or of bytes written, before and after a change of the program.
public struct CountChange: Sendable, Codable, Equatable {
  /// The name of what is counted, see `Measure.name`.
  public var metric: String
  /// The unit of the counts, `B` or `calls`.
  public var unit: String
  /// The number of operations to which ``base`` and ``head`` refer.
  public var operations: Int
  /// The count of the base (the side before the change), summed over the operations.
  public var base: Int
  /// The count of the head (the side after the change), summed over the operations.
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
  /// The time of an operation in the base (before the change), in nanoseconds. The value is the median over the
  /// processes of their typical times (see `Timing.typical`), or of their mean times if ``comparesMeans``.
  public var base: Double
  /// The time of an operation in the head (after the change), in nanoseconds, computed like ``base``.
  public var head: Double
  /// The time of the head divided by that of the base. Each pair of processes gives one quotient, and the value is the
  /// median of the quotients. For a quotient, the time of a process is the lower quartile of its times, or their mean
  /// if ``comparesMeans``. Without pairs, the ratio is ``head`` / ``base``.
  public var ratio: Double
  /// The lower end of the confidence interval of ``ratio``, or nil.
  public var low: Double?
  /// The upper end of the confidence interval of ``ratio``, or nil.
  public var high: Double?
  /// The number of pairs of a base process and a head process. If 0, the change is shown without a verdict.
  public var pairs: Int
  /// The share by which times may differ and still count as equal: 0.05 for 5 %.
  public var margin: Double
  /// Whether the pairs are from a second measurement, which is made if the first one found a change.
  public var isConfirmed: Bool
  /// Whether mean times are compared, not typical times, because only one side timed operations in batches.
  public var comparesMeans: Bool
  /// The smallest change, as a share, that these pairs of processes would have found; see `PairedStage`. Nil without
  /// pairs.
  public var smallestDetectable: Double?
  /// The time of each process of the base in nanoseconds, for statistics by other programs. ``base`` is their median.
  public var baseProcesses: [Double]
  /// The time of each process of the head in nanoseconds, for statistics by other programs.
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
