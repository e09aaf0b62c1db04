import StorageContract
import StorageStatistics

/// The results of one backend in one workload by number of records, with curves fitted to the costs.
public struct CostSeries: Sendable {
  /// The backend, workload and conditions that all results share. The number of records is 0 here, because each result
  /// has another number.
  public let pattern: Cell
  /// The machine on which the series was measured, as a short hash. Nil if the benchmark run has one machine.
  public let machine: String?
  /// The results by ascending number of records, including failed ones.
  public let rows: [SummaryRow]
  /// The curve fitted to an operation's median time in nanoseconds by number of records. Nil if nothing was timed.
  public let time: GrowthFit?
  /// The curve of the bytes written per operation, including a later checkpoint, over the number of records. Nil if
  /// unknown.
  public let bytesWritten: GrowthFit?
  /// The curve fitted to the size of the store's files in bytes, by number of records. Nil if not measured.
  public let fileSize: GrowthFit?

  /// The safety level of the saves, such as `durable`. Nil if there is none, as for a workload that only reads.
  public var level: Level? { rows.lazy.compactMap(\.level).first }
  /// Whether reports show the backend without a rank, because it acknowledges saves that are in no file.
  public var isFloor: Bool { level == .volatile || rows.contains { $0.isFloor } }
  /// Whether every save of the backend writes the whole store.
  public var isWholeFile: Bool { rows.contains { $0.isWholeFile } }
  /// Whether the engine itself performed the operation in all results. False for imitations and emulated operations.
  public var isNative: Bool { rows.allSatisfy { $0.fidelity == .native } }
  /// The backend's name in reports, such as `SQLite journal=wal`. With several machines, `@` and the machine follow.
  public var name: String { Phrases.name(pattern.backend, like: rows.first) + (machine.map { " @\($0)" } ?? "") }
  /// The timed results by ascending number of records, without results that other programs disturbed.
  public let timed: [SummaryRow]
  /// The first failure as text: `failed at 10,000 records: ...`. Nil if no measurement failed.
  var failure: String? {
    rows.first { $0.status == .failed }.map {
      "failed at \(Quantity.grouped($0.cell.records)) records: \($0.note)"
    }
  }
  private let rowIndices: [Int: Int]

  init(pattern: Cell, machine: String? = nil, rows: [SummaryRow]) {
    self.machine = machine
    self.pattern = pattern.with { $0.records = 0 }
    let rows = rows.sorted { $0.cell.records < $1.cell.records }
    self.rows = rows
    rowIndices = Dictionary(rows.enumerated().map { ($1.cell.records, $0) }, uniquingKeysWith: { first, _ in first })
    timed = rows.filter { $0.status == .ok && $0.typicalTime != nil && !$0.isDisturbed }
    time = Self.timeFit(timed.map { ($0, $0.typicalTime, $0.rounds) })
    bytesWritten = Self.countFit(rows) { $0.perOperation(\.bytesWrittenSettled) }
    fileSize = Self.countFit(rows) { $0.cost?.fileBytes.map(Double.init) }
  }

  /// Groups results into series. Within a series, only the number of records differs.
  public static func all(in rows: [SummaryRow]) -> [CostSeries] {
    rows.grouped(sharing: { cell in cell.with { $0.records = 0 } })
      .map { CostSeries(pattern: $0.key.cell, machine: $0.key.machine, rows: $0.members) }
  }

  /// The backend of all results in the series, with its options.
  public var backend: Spec { pattern.backend }
  /// The requested durability of the saves, such as `durable`. Nil for a workload that only reads.
  public var durability: Durability? { pattern.durability }

  /// Returns the result for a number of records. Nil if the series has no such result.
  public func row(at records: Int) -> SummaryRow? { rowIndices[records].map { rows[$0] } }

  /// The result with the most records for which written bytes were counted. Nil if bytes were never counted.
  public var largestCounted: SummaryRow? { rows.last { $0.cost?.bytesWrittenSettled != nil } }

  /// The curve of an operation's time over the number of records, on which recommendations are based.
  var answerTime: GrowthFit? {
    guard timed.contains(where: \.meanDiffers) else { return time }
    // Means at one size and medians at another would show growth that does not exist, so means are used at all sizes.
    return Self.timeFit(timed.map { ($0, $0.mean ?? $0.typicalTime, $0.rounds.means) })
  }

  private static func timeFit(_ timed: [(row: SummaryRow, time: Double?, rounds: Rounds)]) -> GrowthFit? {
    var rounds: [Int: [Double]] = [:]
    // A size timed by a single process has one time for all rounds, so only other sizes show the uncertainty.
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

  /// The names of workload options that change the measured operation, such as `via` in `via=queue`. Series with such
  /// an option are not compared with others.
  private static let otherOperations: Set = ["via", "as"]

  static func saves(in series: [CostSeries]) -> [CostSeries] { of(signature, in: series) }

  /// Returns the series with default durability (`shipped`). If there are none, returns the series with the same
  /// durability as the first element of `saves`.
  static func usual(_ saves: [CostSeries]) -> [CostSeries] {
    let asked = saves.contains { $0.durability == .shipped } ? .shipped : saves.first?.durability
    return saves.filter { $0.durability == asked }
  }

  /// Returns the series of one workload that differ only in backend and durability, so that their costs can be
  /// compared.
  static func of(_ workload: String, in series: [CostSeries]) -> [CostSeries] {
    let own = series.filter {
      $0.pattern.workload.id == workload && otherOperations.isDisjoint(with: $0.pattern.workload.options.names)
    }
    return own.filter { $0.pattern.work == own[0].pattern.work }
  }

  func covers(_ group: ComparisonGroup) -> Bool {
    group.workload == pattern.workload && group.work.conditions == pattern.conditions
  }

  /// The effect of a power cut on saved data, such as `may lose the last save`; `-` for read-only workloads.
  public var afterPowerCut: String { PowerCut.words(level, syncs: largestCounted?.perOperation(\.syncs)) }
}
