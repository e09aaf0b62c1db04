import StorageContract
import StorageRunFiles
import StorageStatistics

/// A count on both sides.
public struct CountChange: Sendable, Codable, Equatable {
  /// The metric's name, see `Measure.name`.
  public var metric: String
  /// The unit, `B` or `calls`.
  public var unit: String
  /// The number of operations that the counts are totals of.
  public var operations: Int
  /// The total of the base.
  public var base: Int
  /// The total of the head.
  public var head: Int
  /// The share by which the count may grow.
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

  /// The verdict: `ChangeVerdict.more`, `ChangeVerdict.fewer` or `ChangeVerdict.same`.
  public var verdict: ChangeVerdict { ChangeVerdict(count: base, head, tolerance: tolerance) }
}

/// A time on both sides.
public struct TimeChange: Sendable, Codable, Equatable {
  /// The time of an operation in the base, in nanoseconds: the median over the processes of their typical times, or of
  /// their mean times if ``comparesMeans``.
  public var base: Double
  /// The same time in the head.
  public var head: Double
  /// The median of the pairs' ratios head / base of their lower quartiles, or of their means. It may differ from the
  /// ratio of the times shown. If nothing was paired, it is that ratio.
  public var ratio: Double
  /// The lower end of the ratio's interval. Nil if there is none.
  public var low: Double?
  /// The upper end of the ratio's interval, see ``low``.
  public var high: Double?
  /// The number of pairs. If it is 0, nothing was paired, and the change is advice and no verdict.
  public var pairs: Int
  /// The share below which a difference is ignored.
  public var margin: Double
  /// Whether these are the pairs of a second stage.
  public var isConfirmed: Bool
  /// Whether mean times are compared, because only one side of a pair was timed in batches.
  public var comparesMeans: Bool
  /// The smallest change, as a share, that these pairs would have found, see `PairedStage`. Nil if nothing was paired.
  public var smallestDetectable: Double?
  /// The times of the processes of the base, in nanoseconds. ``base`` is their median. They are for tools with their
  /// own statistics.
  public var baseProcesses: [Double]
  /// The times of the processes of the head.
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
