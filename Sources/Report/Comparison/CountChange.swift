import StorageContract
import StorageRunFiles
import StorageStatistics

/// A count that can be compared: it repeats exactly from run to run, or nearly so.
public struct CountMetric: Sendable {
  /// Its name in `costs.csv` and after `--max-increase`: `bytes`.
  public let name: String
  /// The column of `summary.csv` that holds it, which `--max-increase` takes as well.
  public let column: String
  /// `B` or `calls`.
  public let unit: String
  /// The share by which it may grow unless the user says otherwise: 0.01 is 1 %.
  public let tolerance: Double
  /// Where a cost pass has it.
  public let path: KeyPath<Cost, Int?> & Sendable

  init(
    _ name: String, column: String? = nil, unit: String = "calls", tolerance: Double = 0,
    _ path: KeyPath<Cost, Int?> & Sendable
  ) {
    self.name = name
    self.column = column ?? name
    self.unit = unit
    self.tolerance = tolerance
    self.path = path
  }

  /// The least share by which a count may differ of a backend that says that its counts do not repeat exactly.
  public static let varyingTolerance = 0.1

  /// What `costs.csv` holds, in its order.
  public static let committed: [CountMetric] = [
    CountMetric("bytes", column: "bytes_written_settled", unit: "B", \.bytesWrittenSettled),
    CountMetric("writes", column: "write_calls", \.writeCalls),
    CountMetric("syncs", column: "syncs_settled", \.syncsSettled),
    // Hash tables grow at slightly different moments from process to process.
    CountMetric("allocations", tolerance: 0.01, \.allocations),
  ]

  /// All that two runs are compared by.
  public static let all: [CountMetric] =
    committed + [
      CountMetric("bytes_written", unit: "B", \.bytesWritten),
      CountMetric("syncs_acknowledged", column: "syncs", \.syncs),
      CountMetric("statements", \.statements),
      CountMetric("opens", \.opens),
      CountMetric("renames", \.renames),
      CountMetric("file_bytes", unit: "B", \.fileBytes),
      CountMetric("inodes", \.inodes),
    ]
}

/// A count on both sides.
public struct CountChange: Sendable, Codable, Equatable {
  /// The metric's name, see ``CountMetric/name``.
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
