import StorageContract
import StorageRunFiles
import StorageStatistics

/// A count before and after a change, such as syncs or bytes written.
public struct CountChange: Sendable, Codable, Equatable {
  /// The metric's name, see `Measure.name`.
  public var metric: String
  /// The unit of the counts, `B` or `calls`.
  public var unit: String
  /// The number of operations of which the counts are totals.
  public var operations: Int
  /// The total count of the base, the side before the change.
  public var base: Int
  /// The total count of the head, the side after the change.
  public var head: Int
  /// The share by which the count may grow without a verdict.
  public var tolerance: Double

  /// Creates a change.
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

/// The time of an operation before and after a change.
public struct TimeChange: Sendable, Codable, Equatable {
  /// The time of an operation in the base, in nanoseconds: the median over the processes of their typical times, or of
  /// their mean times if ``comparesMeans``.
  public var base: Double
  /// The time of an operation in the head, computed like ``base``.
  public var head: Double
  /// The median over the pairs of the ratio head / base of their lower quartiles, or of their means. It may differ from
  /// the ratio of the times shown. If nothing was paired, it is that ratio.
  public var ratio: Double
  /// The lower end of the ratio's interval. Nil if there is none.
  public var low: Double?
  /// The upper end of the ratio's interval, see ``low``.
  public var high: Double?
  /// The number of pairs. If 0, nothing was paired, and the change is shown without a verdict.
  public var pairs: Int
  /// The share below which a difference of times is ignored.
  public var margin: Double
  /// Whether the pairs are those of a second stage, which confirms the first.
  public var isConfirmed: Bool
  /// Whether mean times are compared, because only one side of a pair was timed in batches.
  public var comparesMeans: Bool
  /// The smallest change, as a share, that these pairs would have found, see `PairedStage`. Nil if nothing was paired.
  public var smallestDetectable: Double?
  /// The times of the base's processes in nanoseconds, for tools with separate statistics. ``base`` is their median.
  public var baseProcesses: [Double]
  /// The times of the processes of the head, in nanoseconds.
  public var headProcesses: [Double]

  /// Creates a change.
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
