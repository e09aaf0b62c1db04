import StorageContract
import StorageRunFiles
import StorageStatistics

/// A count on both sides.
public struct CountChange: Sendable, Codable, Equatable {
  /// The metric's name, see `Measure.name`.
  public var metric: String
  /// `B` or `calls`.
  public var unit: String
  /// How many operations the counts are totals of.
  public var operations: Int
  /// The total before.
  public var base: Int
  /// The total now.
  public var head: Int
  /// The share by which it may grow.
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

  /// `ChangeVerdict.more`, `ChangeVerdict.fewer` or `ChangeVerdict.same`.
  public var verdict: ChangeVerdict { ChangeVerdict(count: base, head, tolerance: tolerance) }
}

/// A time on both sides.
public struct TimeChange: Sendable, Codable, Equatable {
  /// The time of an operation, in nanoseconds: the median over the processes of their typical times, or of their mean
  /// times where ``comparesMeans``.
  public var base: Double
  /// The same now.
  public var head: Double
  /// The median of the pairs' ratios head / base of their lower quartiles, or of their means; it need not be the ratio
  /// of the times that are shown. Where nothing was paired it is.
  public var ratio: Double
  /// The ends of its interval; nil where there is none.
  public var low: Double?
  /// See ``low``.
  public var high: Double?
  /// How many pairs it rests on; 0 where nothing was paired: then it is advice and no verdict.
  public var pairs: Int
  /// The share below which a difference is not spoken of.
  public var margin: Double
  /// Whether these are the pairs of a second stage.
  public var isConfirmed: Bool
  /// Whether mean times are compared, since only one side of a pair was timed in batches.
  public var comparesMeans: Bool
  /// The smallest change, as a share, that these pairs would have found: see `PairedStage`; nil where nothing was
  /// paired.
  public var smallestDetectable: Double?
  /// The times of each process of the base, in nanoseconds, that ``base`` is the median of, for tools that judge by
  /// themselves.
  public var baseProcesses: [Double]
  /// The same of the head.
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
