import StorageContract
import StorageStatistics

/// The results of one backend in one workload for several store sizes. Curves are fitted to the time, the bytes written
/// and the file size.
public struct CostSeries: Sendable {
  /// The benchmark cell (backend, workload and conditions) that all results of the series share. The results differ
  /// only in the number of records, which is 0 in this cell.
  public let pattern: Cell
  /// The machine on which the series was measured, as a short hash. Nil if the benchmark run has one machine.
  public let machine: String?
  /// The results of one backend in one workload, one for each number of records, the smallest number first. Results of
  /// failed measurements are included.
  public let rows: [SummaryRow]
  /// The curve fitted to an operation's median time in nanoseconds by number of records. Nil if nothing was timed.
  public let time: GrowthFit?
  /// The curve fitted to the bytes that an operation writes, by number of records. Later writes, such as in a
  /// checkpoint, are included. Nil if bytes were not counted, or if a count is 0.
  public let bytesWritten: GrowthFit?
  /// The curve fitted to the size of the store's files in bytes, by number of records. Nil if not measured.
  public let fileSize: GrowthFit?

  /// The safety level that the saves reach, such as `durable` (a power cut loses nothing). Nil for read-only workloads,
  /// and for a backend that could not run.
  public let level: Level?
  /// Whether the backend keeps data only in memory, or acknowledges saves before it writes them. Reports show such a
  /// backend without a rank.
  public let isFloor: Bool
  /// Whether every save of the backend writes the whole store.
  public let isWholeFile: Bool
  /// Whether the backend is a work-alike: an imitation of an engine that does not run on Linux, such as Core Data.
  public let isWorkAlike: Bool
  /// Whether a real engine itself performed the operation in all results. False if the backend imitates an engine such
  /// as Core Data, or if the engine lacks the operation and this suite performs it instead.
  public let isNative: Bool
  /// The backend's name in reports, such as `SQLite journal=wal`. In a run on several machines, `@` and the hash of the
  /// machine follow.
  public let name: String
  /// The results with a time, except those that other programs disturbed. The result with the smallest number of
  /// records is first.
  public let timed: [SummaryRow]
  /// The error of the first failed measurement as text, such as `failed at 10,000 records: ...`. Nil if no measurement
  /// failed.
  let failure: String?
  private let rowIndices: [Int: Int]

  init(pattern: Cell, machine: String? = nil, rows: [SummaryRow]) {
    self.machine = machine
    self.pattern = pattern.with { $0.records = 0 }
    let rows = rows.sorted { $0.cell.records < $1.cell.records }
    self.rows = rows
    rowIndices = Dictionary(rows.enumerated().map { ($1.cell.records, $0) }, uniquingKeysWith: { first, _ in first })
    let level = rows.lazy.compactMap(\.level).first
    self.level = level
    isFloor = level == .volatile || rows.contains { $0.isFloor }
    isWholeFile = rows.contains { $0.isWholeFile }
    let isWorkAlike = rows.contains { $0.fidelity == .workAlike }
    self.isWorkAlike = isWorkAlike
    isNative = rows.allSatisfy { $0.fidelity == .native }
    name = Phrases.name(pattern.backend, like: rows.first) + (machine.map { " @\($0)" } ?? "")
    failure = rows.first { $0.status == .failed }.map {
      "failed at \(Quantity.grouped($0.cell.records)) records: \($0.note)"
    }
    let timed = rows.filter { $0.status == .ok && $0.typicalTime != nil && !$0.isDisturbed }
    self.timed = timed
    time = Self.timeFit(timed.map { ($0, $0.typicalTime, $0.rounds) })
    bytesWritten = Self.countFit(rows) { $0.perOperation(\.bytesWrittenSettled) }
    fileSize = Self.countFit(rows) { $0.cost?.fileBytes.map(Double.init) }
  }

  /// Groups the results of a benchmark run into series, in the order of the plan. The results of a series differ only
  /// in the number of records, not in the backend or the number of threads, for example.
  public static func all(in rows: [SummaryRow]) -> [CostSeries] {
    rows.grouped { $0.records = 0 }.map { CostSeries(pattern: $0.key.cell, machine: $0.key.machine, rows: $0.members) }
  }

  /// The backend of all results in the series, with its options.
  public var backend: Spec { pattern.backend }
  /// The requested durability of the saves, such as `durable`. Nil for reads.
  public var durability: Durability? { pattern.durability }

  /// Returns the result for a number of records. Nil if the series has no such result.
  public func row(at records: Int) -> SummaryRow? { rowIndices[records].map { rows[$0] } }

  /// The result with the most records among those for which written bytes were counted. Nil if bytes were never
  /// counted.
  public var largestCounted: SummaryRow? { rows.last { $0.cost?.bytesWrittenSettled != nil } }

  /// The curve from which recommendations estimate an operation's time by number of records. It is ``time``, the curve
  /// of the medians. If a mean is much longer than its median, it is the curve of the means.
  var answerTime: GrowthFit? {
    guard timed.contains(where: \.meanDiffers) else { return time }
    // Means at one size and medians at another would show growth that does not exist, so means are used at all sizes.
    return Self.timeFit(timed.map { ($0, $0.mean ?? $0.typicalTime, $0.rounds.means) })
  }

  private static func timeFit(_ timed: [(row: SummaryRow, time: Double?, rounds: Rounds)]) -> GrowthFit? {
    var rounds: [Int: [Double]] = [:]
    // A time from a single process is the same in every round (repetition), so only the other sizes show how certain
    // the fit is.
    let repeated = timed.filter { !$0.row.isTimedOnce }
    for round in repeated.first?.rounds.keys ?? [] {
      let values = timed.compactMap { $0.row.isTimedOnce ? $0.time : $0.rounds[round]?.typical }
      if values.count == timed.count { rounds[round] = values }
    }
    return GrowthFit(timed.map { (Double($0.row.cell.records), $0.time ?? 0) }, rounds: rounds)
  }

  private static func countFit(_ rows: [SummaryRow], _ count: (SummaryRow) -> Double?) -> GrowthFit? {
    GrowthFit(rows.compactMap { row in count(row).map { (Double(row.cell.records), $0) } })
  }
}

extension CostSeries {
  /// The name of the workload in the main chart of a report. The workload saves one changed record.
  public static let signature = "save-one"

  /// The names of workload options that replace the usual operation by a different one, so that the times cannot be
  /// compared. With `via=queue`, a save is only handed to a queue. With `as=faults`, objects are loaded without their
  /// values.
  private static let otherOperations: Set = ["via", "as"]

  static func saves(in series: [CostSeries]) -> [CostSeries] { of(signature, in: series) }

  /// Returns the comparable series of a workload, each with one backend's results by number of records. All have the
  /// options and conditions of the first one, such as `4 threads`. Series of other operations, such as handing a save
  /// to a queue, are left out.
  static func of(_ workload: String, in series: [CostSeries]) -> [CostSeries] {
    let own = series.filter {
      $0.pattern.workload.id == workload && otherOperations.isDisjoint(with: $0.pattern.workload.options.names)
    }
    guard let first = own.first else { return [] }
    return own.filter { $0.hasShape(of: first.pattern) }
  }

  private func hasShape(of other: Cell) -> Bool {
    pattern.with { ($0.backend, $0.durability) = (other.backend, other.durability) } == other
  }

  func covers(_ group: ComparisonGroup) -> Bool {
    group.workload == pattern.workload && group.work.conditions == pattern.conditions
  }

  /// The effect of a power cut on saved data as text, such as `may lose the last save`; `-` for read-only workloads.
  public var afterPowerCut: String { PowerCut.words(level, syncs: largestCounted?.perOperation(\.syncs)) }
}
