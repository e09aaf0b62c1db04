import StorageContract
import StorageStatistics

/// The measured costs of one backend in one workload by number of records: a result for each store size, and curves
/// fitted to these results.
public struct CostSeries: Sendable {
  /// The backend, workload and conditions that all results of the series share. The number of records is 0.
  public let pattern: Cell
  /// The machine on which the series was measured, if the run merges several machines. Otherwise nil.
  public let machine: String?
  /// The results, the smallest number of records first. Failed measurements are included.
  public let rows: [SummaryRow]
  /// The curve fitted to an operation's median time in nanoseconds by number of records. Nil if nothing was timed.
  public let time: GrowthFit?
  /// The curve fitted to the bytes that an operation writes, by number of records. Bytes written later because of the
  /// operation, such as by a checkpoint, are included. Nil if bytes were not counted.
  public let bytesWritten: GrowthFit?
  /// The curve fitted to the size of the store's files in bytes, by number of records. Nil if the size was not
  /// measured.
  public let fileSize: GrowthFit?

  /// The safety level that the saves reach, such as surviving a power cut. Nil for reads.
  public let level: Level?
  /// Whether the backend is shown without a rank. It is either a lower bound that no real store can beat, or a store
  /// that keeps nothing.
  public let isFloor: Bool
  /// Whether every save of the backend writes the whole store.
  public let isWholeFile: Bool
  /// Whether the backend is a work-alike, which imitates an engine that does not run on Linux. Core Data is such an
  /// engine.
  public let isWorkAlike: Bool
  /// Whether the original engine did the work in all results of the series, without emulation or imitation.
  public let isNative: Bool
  /// The backend's name for readers, such as `SQLite journal=wal`. In a run of several machines, the machine is added.
  public let name: String
  /// The results with a time that other programs did not disturb, the smallest number of records first.
  public let timed: [SummaryRow]
  /// The text of the first failed measurement, such as `failed at 10,000 records: ...`. Recommendations give it as the
  /// reason for leaving the backend out. Nil if none failed.
  let failure: String?
  private let rowIndices: [Int: Int]

  init(pattern: Cell, machine: String? = nil, rows: [SummaryRow]) {
    self.machine = machine
    var pattern = pattern
    pattern.records = 0
    self.pattern = pattern
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

  /// Groups the results of a run into series, one for each backend, workload and set of conditions, in the order of the
  /// plan.
  public static func all(in rows: [SummaryRow]) -> [CostSeries] {
    rows.grouped { $0.records = 0 }.map { CostSeries(pattern: $0.key.cell, machine: $0.key.machine, rows: $0.members) }
  }

  /// The backend of all results in the series, with its options.
  public var backend: Spec { pattern.backend }
  /// The requested durability of the saves, such as `durable`. Nil for reads.
  public var durability: Durability? { pattern.durability }

  /// Returns the result at a number of records. Nil if the series has none.
  public func row(at records: Int) -> SummaryRow? { rowIndices[records].map { rows[$0] } }

  /// The result with the most records among those for which written bytes were counted. Nil if they were never counted.
  public var largestCounted: SummaryRow? { rows.last { $0.cost?.bytesWrittenSettled != nil } }

  /// The fitted curve of times by which recommendations are made. It is ``time``, or a curve of means if slow
  /// operations make the mean much longer than the median at some size.
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
  /// The workload of a report's main chart: saving one changed record.
  public static let signature = "save-one"

  /// The workload options that change the operation itself, so that a time with them does not count as a time of the
  /// workload. With `via`, only the transfer of a save to a queue or an actor is timed. With `as`, objects are loaded
  /// without their values.
  private static let otherOperations: Set = ["via", "as"]

  static func saves(in series: [CostSeries]) -> [CostSeries] { of(signature, in: series) }

  /// Returns the cost series of a workload. If they differ in workload options or conditions, only those that agree
  /// with the first one in the plan are returned. Series with ``otherOperations`` are left out.
  static func of(_ workload: String, in series: [CostSeries]) -> [CostSeries] {
    let own = series.filter {
      $0.pattern.workload.id == workload && otherOperations.isDisjoint(with: $0.pattern.workload.options.names)
    }
    guard let first = own.first else { return [] }
    return own.filter { $0.hasShape(of: first.pattern) }
  }

  private func hasShape(of other: Cell) -> Bool {
    var mine = pattern
    mine.backend = other.backend
    mine.durability = other.durability
    return mine == other
  }

  func covers(_ group: ComparisonGroup) -> Bool {
    group.workload == pattern.workload && group.work.conditions == pattern.conditions
  }

  /// The effect of a power cut on saved data, such as `may lose the last save`. It is `-` for reads.
  public var afterPowerCut: String { PowerCut.words(level, syncs: largestCounted?.perOperation(\.syncs)) }
}
