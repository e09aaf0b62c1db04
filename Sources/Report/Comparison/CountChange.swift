import StorageContract
import StorageRunFiles
import StorageStatistics

/// A change of a count, such as of syncs or bytes written, between two builds, backends or runs.
public struct CountChange: Sendable, Codable, Equatable {
  /// The name of the counted quantity, such as `bytes`; see `Measure.name`.
  public var metric: String
  /// The unit of ``base`` and ``head``, such as `B` for bytes written or `calls` for syncs.
  public var unit: String
  /// The number of operations whose bytes or calls are added up in ``base`` and ``head``.
  public var operations: Int
  /// The number that was counted on the old side, such as all bytes that the ``operations`` wrote in the old build.
  public var base: Int
  /// The number that was counted on the new side, such as all bytes that the ``operations`` wrote in the new build.
  public var head: Int
  /// The relative difference up to which ``base`` and ``head`` count as equal: 0.01 is 1 %. If the tolerance is not 0,
  /// a difference of 1 or 2 always counts as equal.
  public var tolerance: Double

  /// Creates a change of a count between two builds, backends or runs.
  public init(metric: String, unit: String, operations: Int, base: Int, head: Int, tolerance: Double) {
    self.metric = metric
    self.unit = unit
    self.operations = operations
    self.base = base
    self.head = head
    self.tolerance = tolerance
  }

  /// The verdict on the new count: `more`, `fewer` or `same`.
  public var verdict: ChangeVerdict { ChangeVerdict(count: base, head, tolerance: tolerance) }
}

/// A change of an operation's time between two builds, backends or runs.
public struct TimeChange: Sendable, Codable, Equatable {
  /// The time of an operation on the old side of the comparison, in nanoseconds: the median over all measuring
  /// processes.
  public var base: Double
  /// The time of an operation on the new side of the comparison, in nanoseconds: the median over all measuring
  /// processes.
  public var head: Double
  /// The new time divided by the old time. With pairs of processes, the median ratio of all pairs. Each ratio compares
  /// lower quartiles, or means if ``comparesMeans``.
  public var ratio: Double
  /// The lower end of the confidence interval of ``ratio``. Nil if unknown.
  public var low: Double?
  /// The upper end of the confidence interval of ``ratio``. Nil if unknown.
  public var high: Double?
  /// The number of measured pairs of processes. 0 for two separate runs, whose times are not judged.
  public var pairs: Int
  /// The relative difference up to which two times count as equal: 0.05 for 5 %.
  public var margin: Double
  /// Whether the times are from a second measurement, which was made to check a change.
  public var isConfirmed: Bool
  /// Whether mean times are compared instead of medians and quartiles, because only one side timed operations in
  /// batches.
  public var comparesMeans: Bool
  /// The smallest change of time that would have been detected: 0.05 is 5 %. Nil without pairs of processes.
  public var smallestDetectable: Double?
  /// The times of an operation on the old side of the comparison, in nanoseconds, one for each measuring process.
  public var baseProcesses: [Double]
  /// The times of an operation on the new side of the comparison, in nanoseconds, one for each measuring process.
  public var headProcesses: [Double]

  /// Creates a change of an operation's time between two builds, backends or runs.
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
