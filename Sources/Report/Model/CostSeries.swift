import StorageContract
import StorageStatistics

/// The cost of one kind of operation of one backend by number of records N: the rows of a workload, and fitted curves.
public struct CostSeries: Sendable {
  /// The cell of all rows, with 0 as the number of records.
  public let pattern: Cell
  /// The machine of the rows if the run was merged from several machines. Nil otherwise.
  public let machine: String?
  /// The rows with any status, by ascending number of records N.
  public let rows: [SummaryRow]
  /// The fitted median time of an operation in nanoseconds over the number of records. Nil if nothing was timed.
  public let time: GrowthFit?
  /// The fitted bytes written per operation over the number of records, later writes included. Nil if not counted.
  public let bytesWritten: GrowthFit?
  /// The fitted length of the store's files over the number of records. Nil if the length was not counted.
  public let fileSize: GrowthFit?

  /// The safety level of the rows. Nil for reads.
  public let level: Level?
  /// Whether the backend is shown without a rank, as a lower bound or a store that keeps nothing.
  public let isFloor: Bool
  /// Whether every save of the backend writes the whole store.
  public let isWholeFile: Bool
  /// Whether the engine imitates one that does not exist on this system.
  public let isWorkAlike: Bool
  /// Whether the engine itself does the work in all rows, without emulation.
  public let isNative: Bool
  /// The backend's name with the mark of an emulated engine or a work-alike.
  public let name: String
  /// The undisturbed rows with a time, by ascending number of records; see ``SummaryRow/isDisturbed``.
  public let timed: [SummaryRow]
  /// The reason for leaving the backend out of advice if a cell failed: `failed at 10,000 records: ...`, or nil.
  let failure: String?
  private let places: [Int: Int]

  /// Creates a series of rows that differ only in the number of records. Derived properties are computed once.
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

  /// Returns all cost series of a run, in the plan's order.
  public static func all(in rows: [SummaryRow]) -> [CostSeries] {
    rows.grouped { $0.records = 0 }.map { CostSeries(pattern: $0.key.cell, machine: $0.key.machine, rows: $0.members) }
  }

  /// The backend of the series with its options.
  public var backend: Spec { pattern.backend }
  /// The durability requested for the series. Nil for reads.
  public var durability: Durability? { pattern.durability }

  /// Returns the row at a number of records. Nil if the series has none.
  public func row(at records: Int) -> SummaryRow? { places[records].map { rows[$0] } }

  /// The row with the largest number of records that has counts.
  public var largestCounted: SummaryRow? { rows.last { $0.cost?.bytesWrittenSettled != nil } }

  /// The fit of the times that advice uses: of means if one differs from its median at any size, otherwise ``time``.
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
  /// The workload of the report's main chart: a save of the smallest change.
  public static let signature = "save-one"

  /// Returns the series of ``signature``, under the conditions (payload, threads, cache) that the plan names first.
  static func saves(in series: [CostSeries]) -> [CostSeries] { of(signature, in: series) }

  /// Returns the series of a workload, with the options and under the conditions that the plan names first.
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

  /// Returns whether a comparison group has the series' workload under the same conditions.
  func covers(_ group: ComparisonGroup) -> Bool {
    group.workload == pattern.workload && group.work.conditions == pattern.conditions
  }

  /// The effect of a power cut on saved data in words.
  public var afterPowerCut: String { PowerCut.words(level, syncs: largestCounted?.perOperation(\.syncs)) }
}
