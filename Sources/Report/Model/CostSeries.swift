import StorageContract
import StorageStatistics

/// The cost of one kind of operation of one backend as its store grows: the rows of a workload over N, and the curves
/// fitted to them.
public struct CostSeries: Sendable {
  /// The cell of all rows; its N is 0.
  public let pattern: Cell
  /// The machine of the rows if a run was merged from several. Nil otherwise.
  public let machine: String?
  /// The rows of any status, by ascending N.
  public let rows: [SummaryRow]
  /// The median time of an operation in nanoseconds over N. Nil if nothing was timed.
  public let time: GrowthFit?
  /// Bytes written per operation, deferred ones included, over N. Nil if none were counted.
  public let bytesWritten: GrowthFit?
  /// The length of the store's files over N. Nil if it was not counted.
  public let fileSize: GrowthFit?

  /// The level of the rows. Nil for reads.
  public let level: Level?
  /// Whether the backend is shown without a rank.
  public let isFloor: Bool
  /// Whether every save writes the whole store.
  public let isWholeFile: Bool
  /// Whether the engine imitates one that does not exist on this system.
  public let isWorkAlike: Bool
  /// Whether the engine itself does the work in all rows.
  public let isNative: Bool
  /// The backend's name with its mark.
  public let name: String
  /// The undisturbed rows with a time, by ascending N; see ``SummaryRow/isDisturbed``.
  public let timed: [SummaryRow]
  /// The reason for exclusion from a choice if a cell failed: `failed at 10,000 records: ...`. Nil if none did.
  let failure: String?
  private let places: [Int: Int]

  /// Creates a series of rows that differ only in N. Derived properties are computed once.
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

  /// Returns all series of a run, in the plan's order.
  public static func all(in rows: [SummaryRow]) -> [CostSeries] {
    rows.grouped { $0.records = 0 }.map { CostSeries(pattern: $0.key.cell, machine: $0.key.machine, rows: $0.members) }
  }

  /// The backend with its options.
  public var backend: Spec { pattern.backend }
  /// The requested durability. Nil for reads.
  public var durability: Durability? { pattern.durability }

  /// Returns the row of a size. Nil if the run has none.
  public func row(at records: Int) -> SummaryRow? { places[records].map { rows[$0] } }

  /// The row with the largest N that has counts.
  public var largestCounted: SummaryRow? { rows.last { $0.cost?.bytesWrittenSettled != nil } }

  /// The fit of the times that answers use: of the means if one differs from its median at any size, otherwise
  /// ``time``.
  var answerTime: GrowthFit? {
    guard timed.contains(where: \.meanDiffers) else { return time }
    // Means at one size and medians at another would show growth that does not exist.
    return Self.timeFit(timed.map { ($0, $0.mean ?? $0.typicalTime, $0.rounds.means) })
  }

  private static func timeFit(_ timed: [(row: SummaryRow, time: Double?, rounds: Rounds)]) -> GrowthFit? {
    var rounds: [Int: [Double]] = [:]
    // A time from a single trial is the same in every round, so the other sizes show how certain the fit is.
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
  /// The workload of the signature chart: the smallest change.
  public static let signature = "save-one"

  /// Returns the series of the signature workload, under the conditions (payload, threads, cache) that the plan names
  /// first.
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

  /// Returns whether a group has the same workload under the same conditions.
  func covers(_ group: ComparisonGroup) -> Bool {
    group.workload == pattern.workload && group.work.conditions == pattern.conditions
  }

  /// The effect of a power cut on saved data.
  public var afterPowerCut: String { PowerCut.words(level, syncs: largestCounted?.perOperation(\.syncs)) }
}
