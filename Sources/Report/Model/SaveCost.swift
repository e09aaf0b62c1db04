import Contract
import Statistics

/// What changing one record costs one backend as its store grows: the rows of `save-one` over N.
public struct SaveCost: Sendable {
  /// The backend with its options.
  public let backend: Spec
  /// What was asked.
  public let durability: Durability?
  /// The machine that the rows are of, where a run was merged from several.
  public var machine: String?
  /// The rows, by ascending N, whatever became of them.
  public let rows: [SummaryRow]

  /// The backend's rows by the name of the workload that this is about.
  public static let workload = "save-one"

  /// The row whose workload, record size, threads and cache state all series of a run share: the first one.
  static func pattern(_ rows: [SummaryRow]) -> Cell? { rows.first { $0.cell.workload.id == workload }?.cell }

  /// Whether a question is one that the series of a run show.
  static func covers(_ question: Question, _ pattern: Cell) -> Bool {
    question.workload == pattern.workload && question.recordBytes == pattern.recordBytes
      && question.threads == pattern.threads && question.cache == pattern.cache
  }

  /// All series of a run, in the order in which the plan names them; only rows of the plain workload (100 bytes or
  /// whatever the first has, one thread, warm) are compared.
  public static func all(in rows: [SummaryRow]) -> [SaveCost] {
    guard let first = pattern(rows) else { return [] }
    struct Key: Hashable {
      var backend: Spec
      var durability: Durability?
      var machine: String?
    }
    let isMerged = Set(rows.map(\.machine)).count > 1
    var order: [Key] = []
    var groups: [Key: [SummaryRow]] = [:]
    for row in rows
    where row.cell.workload == first.workload && row.cell.recordBytes == first.recordBytes
      && row.cell.threads == first.threads && row.cell.cache == first.cache
    {
      let key = Key(
        backend: row.cell.backend, durability: row.cell.durability, machine: isMerged ? row.machine : nil)
      if groups[key] == nil { order.append(key) }
      groups[key, default: []].append(row)
    }
    return order.map { key in
      SaveCost(
        backend: key.backend, durability: key.durability, machine: key.machine,
        rows: (groups[key] ?? []).sorted { $0.cell.records < $1.cell.records })
    }
  }

  /// The level of the rows.
  public var level: Level? { rows.lazy.compactMap(\.level).first }

  /// Whether the backend stands here without a rank.
  public var isFloor: Bool { rows.contains { $0.isFloor } || level == .volatile }

  /// Whether the engine imitates one that does not exist on this system.
  public var isLookalike: Bool { rows.contains { $0.fidelity == .lookalike } }

  /// The row with the largest N that has counts.
  public var largestCounted: SummaryRow? { rows.last { $0.cost?.bytesWrittenSettled != nil } }

  /// How the bytes written per save grow with N; nil unless counted at two sizes.
  public var growth: PowerFit? {
    PowerFit(
      rows.compactMap { row in
        row.perOperation(\.bytesWrittenSettled).map { (Double(row.cell.records), $0) }
      })
  }

  /// `grows with the store, slope 0.98`, or nil where there is nothing to fit.
  public var growthInWords: String? {
    guard let slope = growth?.slope else { return nil }
    let words =
      switch slope {
      case ..<(-0.15): "shrinks"
      case ..<0.15: "stays flat"
      case ..<0.8: "grows, but less than the store"
      case ..<1.2: "grows with the store"
      default: "grows faster than the store"
      }
    // A slope of -0.001 would read as -0.00.
    let text = Figures.fixed(abs(slope) < 0.005 ? 0 : slope, 2)
    return "\(words), slope \(text)"
  }

  /// Up to which N one save stays within a time.
  public struct Limit: Sendable, Equatable {
    /// Where the median passes it; nil if nothing was timed.
    public var at: Crossing?
    /// Where the upper and the lower ends of the medians' intervals pass it, where both do.
    public var interval: MedianInterval?
    /// The largest N that was timed.
    public var largest: Int
    /// The smallest.
    public var smallest: Int
    /// Whether no larger N was planned.
    public var isComplete: Bool

    /// `at any size` up to the largest one measured, `beyond 1,000` where a larger one has no figure, `to ~650`, `not at 100`, or `not timed`.
    public var inWords: String {
      switch at {
      case nil: "not timed"
      case .never: isComplete ? "at any size" : "beyond \(Quantity.grouped(largest))"
      case .before: "not at \(Quantity.grouped(smallest))"
      case .at(let records): "to \(Figures.about(records))"
      }
    }
  }

  /// One frame at 60 per second, in nanoseconds; half of it is one at 120.
  public static let frame = 16_700_000.0

  /// Finds the N at which one save takes a time, between the measured sizes by interpolation.
  ///
  /// - Parameter nanoseconds: The time.
  public func limit(_ nanoseconds: Double) -> Limit {
    let timed = rows.compactMap { row -> (records: Double, time: Double, interval: MedianInterval?)? in
      guard row.status == .ok, let time = row.typicalTime else { return nil }
      return (Double(row.cell.records), time, row.p50Interval)
    }
    var limit = Limit(
      at: Crossing.find(limit: nanoseconds, in: timed.map { ($0.records, $0.time) }), interval: nil,
      largest: Int(timed.last?.records ?? 0), smallest: Int(timed.first?.records ?? 0),
      isComplete: timed.last.map { Int($0.records) } == rows.last?.cell.records)
    if timed.allSatisfy({ $0.interval != nil }),
      case .at(let low) = Crossing.find(
        limit: nanoseconds, in: timed.map { ($0.records, $0.interval?.high ?? 0) }),
      case .at(let high) = Crossing.find(
        limit: nanoseconds, in: timed.map { ($0.records, $0.interval?.low ?? 0) })
    {
      limit.interval = MedianInterval(low: low, high: high)
    }
    return limit
  }

  /// What a power cut does to what was saved, in the words of an app's author.
  public var afterPowerCut: String {
    switch level {
    case .durable: "nothing lost"
    // Less than one sync a save: several saves wait for the next one.
    case .intact: (largestCounted?.perOperation(\.syncs) ?? 1) < 0.5 ? "last saves lost" : "last save may go"
    case .crash: "may be corrupt"
    case .fragile: "! a crash can empty it"
    case .volatile: "keeps nothing"
    case nil: "-"
    }
  }
}
