import StorageContract
import StorageStatistics

/// The measured costs of one backend in one workload by number of records N: a row for each size, and fitted curves.
public struct CostSeries: Sendable {
  /// The backend, workload and conditions of all rows, as a cell with 0 records.
  public let pattern: Cell
  /// The machine of the rows, if the run is merged from several machines. Otherwise nil.
  public let machine: String?
  /// The rows, sorted by number of records. Some may be of failed benchmark cells.
  public let rows: [SummaryRow]
  /// The curve of an operation's median time in nanoseconds by number of records. Nil if nothing was timed.
  public let time: GrowthFit?
  /// The curve of the bytes that an operation writes by number of records, including bytes written later, such as by a
  /// checkpoint. Nil if bytes were not counted.
  public let bytesWritten: GrowthFit?
  /// The curve of the size of the store's files by number of records. Nil if the size was not measured.
  public let fileSize: GrowthFit?

  /// The safety level of the saves. Nil for reads.
  public let level: Level?
  /// Whether the backend has no rank: it is a lower bound for comparison, or a store that keeps nothing.
  public let isFloor: Bool
  /// Whether every save of the backend writes the whole store.
  public let isWholeFile: Bool
  /// Whether the backend is a work-alike: an engine that imitates one which does not run on this system.
  public let isWorkAlike: Bool
  /// Whether the original engine does the work in all rows, neither emulated nor imitated.
  public let isNative: Bool
  /// The backend's name for readers, such as `SQLite journal=wal`. The machine is added in a run of several.
  public let name: String
  /// The rows with an undisturbed time, sorted by number of records; see ``SummaryRow/isDisturbed``.
  public let timed: [SummaryRow]
  /// The reason why advice leaves out a backend with a failed cell: `failed at 10,000 records: ...` Otherwise nil.
  let failure: String?
  private let places: [Int: Int]

  /// Creates a series of rows that differ only in the number of records.
  init(pattern: Cell, machine: String? = nil, rows: [SummaryRow]) {
    self.machine = machine
    var pattern = pattern
    pattern.records = 0
    self.pattern = pattern
    let rows = rows.sorted { $0.cell.records < $1.cell.records }
    self.rows = rows
    places = Dictionary(rows.enumerated().map { ($1.cell.records, $0) }, uniquingKeysWith: { first, _ in first })
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

  /// Returns the series of a run's rows, one for each backend, workload and condition, in the order of the plan.
  public static func all(in rows: [SummaryRow]) -> [CostSeries] {
    rows.grouped { $0.records = 0 }.map { CostSeries(pattern: $0.key.cell, machine: $0.key.machine, rows: $0.members) }
  }

  /// The backend of the series with its options.
  public var backend: Spec { pattern.backend }
  /// The durability requested for the series. Nil for reads.
  public var durability: Durability? { pattern.durability }

  /// Returns the row at a number of records. Nil if the series has none.
  public func row(at records: Int) -> SummaryRow? { places[records].map { rows[$0] } }

  /// The row with the largest number of records for which bytes written were counted.
  public var largestCounted: SummaryRow? { rows.last { $0.cost?.bytesWrittenSettled != nil } }

  /// The curve of times for advice. Nil if nothing was timed. If a few slow operations make the mean much longer than
  /// the median at any size, it is the curve of means. Otherwise it is ``time``.
  var answerTime: GrowthFit? {
    guard timed.contains(where: \.meanDiffers) else { return time }
    // Means at one size and medians at another would show growth that does not exist, so means are used at all sizes.
    return Self.timeFit(timed.map { ($0, $0.mean ?? $0.typicalTime, $0.rounds.means) })
  }

  private static func timeFit(_ timed: [(row: SummaryRow, time: Double?, rounds: Rounds)]) -> GrowthFit? {
    var rounds: [Int: [Double]] = [:]
    // A time from a single trial is the same in every round, so only the other sizes show how certain the fit is.
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
  /// The workload of the main chart of a report: saving one changed record.
  public static let signature = "save-one"

  /// Returns the series of `save-one` (``signature``), under the conditions that the plan lists first.
  static func saves(in series: [CostSeries]) -> [CostSeries] { of(signature, in: series) }

  /// Returns the series of a workload. They have the workload options and conditions that the plan lists first.
  static func of(_ workload: String, in series: [CostSeries]) -> [CostSeries] {
    guard let first = series.first(where: { $0.pattern.workload.id == workload }) else { return [] }
    return series.filter { $0.hasShape(of: first.pattern) }
  }

  private func hasShape(of other: Cell) -> Bool {
    var mine = pattern
    mine.backend = other.backend
    mine.durability = other.durability
    return mine == other
  }

  /// Returns whether a group of rows has the workload and the conditions of this series.
  func covers(_ group: ComparisonGroup) -> Bool {
    group.workload == pattern.workload && group.work.conditions == pattern.conditions
  }

  /// The effect of a power cut on saved data in words, such as `may lose the last save`.
  public var afterPowerCut: String { PowerCut.words(level, syncs: largestCounted?.perOperation(\.syncs)) }
}
