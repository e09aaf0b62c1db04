import StorageContract
import StorageStatistics

/// What one kind of operation costs one backend as its store grows: the rows of a workload over N, and the laws
/// fitted to them.
public struct CostSeries: Sendable {
  /// The cell of all rows but for N, which is 0.
  public let pattern: Cell
  /// The machine that the rows are of, where a run was merged from several; nil where it has one.
  public let machine: String?
  /// The rows, by ascending N, whatever became of them.
  public let rows: [SummaryRow]
  /// The median time of an operation in nanoseconds over N; nil where nothing was timed.
  public let time: GrowthFit?
  /// Bytes written per operation, deferred ones included, over N; nil where none were counted.
  public let bytesWritten: GrowthFit?
  /// The length of the store's files over N; nil where it was not counted.
  public let fileSize: GrowthFit?

  /// The level of the rows; nil for reads.
  public let level: Level?
  /// Whether the backend stands here without a rank.
  public let isFloor: Bool
  /// Whether every save writes the whole store.
  public let isWholeFile: Bool
  /// Whether the engine imitates one that does not exist on this system.
  public let isWorkAlike: Bool
  /// Whether all rows are the engine's own doing.
  public let isNative: Bool
  /// The backend's name with its mark, as every format shows it.
  public let name: String
  /// The rows with a time that is the engine's, by ascending N; see ``SummaryRow/isDisturbed``.
  public let timed: [SummaryRow]
  /// Why it is out of a choice, where a cell failed: `failed at 10,000 records: ...`; nil where none did.
  let failure: String?
  /// Where the row of a size is.
  private let places: [Int: Int]

  /// Makes a series of rows that differ in N only. What is asked of a series for each of its rows is found out once.
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

  /// All series of a run, in the order in which the plan names them.
  public static func all(in rows: [SummaryRow]) -> [CostSeries] {
    struct Key: Hashable {
      var cell: Cell
      var machine: String?
    }
    // Times of two machines stand in no series together.
    let isMerged = Set(rows.map(\.machine)).count > 1
    let groups = rows.grouped { row in
      var key = Key(cell: row.cell, machine: isMerged ? row.machine : nil)
      key.cell.records = 0
      return key
    }
    return groups.map { CostSeries(pattern: $0.key.cell, machine: $0.key.machine, rows: $0.members) }
  }

  /// The backend with its options.
  public var backend: Spec { pattern.backend }
  /// What was asked; nil for reads.
  public var durability: Durability? { pattern.durability }

  /// The row of a size; nil where the run has none.
  public func row(at records: Int) -> SummaryRow? { places[records].map { rows[$0] } }

  /// The row with the largest N that has counts.
  public var largestCounted: SummaryRow? { rows.last { $0.cost?.bytesWrittenSettled != nil } }

  /// The fit of the times that answers name: of the means where one differs from its median at any size, and else
  /// ``time``.
  var answerTime: GrowthFit? {
    guard timed.contains(where: \.meanDiffers) else { return time }
    // A mean beside a median of another size would be growth that is none.
    return Self.timeFit(timed.map { ($0, $0.mean ?? $0.typicalTime, $0.rounds.means) })
  }

  private static func timeFit(_ timed: [(row: SummaryRow, time: Double?, rounds: Rounds)]) -> GrowthFit? {
    var rounds: [Int: [Double]] = [:]
    // What was timed once says the same in every round: the other sizes show how certain the fit is.
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
  /// What the signature chart is about: the smallest change.
  public static let signature = "save-one"

  /// The series of the signature workload, in the shape (payload, threads, cache) that the plan names first.
  static func saves(in series: [CostSeries]) -> [CostSeries] {
    guard let first = series.first(where: { $0.pattern.workload.id == signature }) else { return [] }
    return series.filter { $0.hasShape(of: first.pattern) }
  }

  private func hasShape(of other: Cell) -> Bool {
    var mine = pattern
    mine.backend = other.backend
    mine.durability = other.durability
    return mine == other
  }

  /// Whether a group is about the same workload in the same shape.
  func covers(_ group: ComparisonGroup) -> Bool {
    group.workload == pattern.workload && group.work.conditions == pattern.conditions
  }

  /// What a power cut does to what was saved.
  public var afterPowerCut: String { PowerCut.words(level, syncs: largestCounted?.perOperation(\.syncs)) }
}
