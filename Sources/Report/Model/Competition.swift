import StorageContract

/// A participant in a ranking by time: a benchmark result, or the results of one backend for several store sizes.
protocol Competitor {
  var backend: Spec { get }
  var durability: Durability? { get }
  /// The safety level of the measured saves, which may differ from the requested ``durability``. Nil if there is none,
  /// as for a workload that only reads.
  var level: Level? { get }
}

extension SummaryRow: Competitor {
  var backend: Spec { cell.backend }
  var durability: Durability? { cell.durability }
}

extension CostSeries: Competitor {}

/// The properties, such as the workload, that several benchmark results have in common. All other properties are empty.
struct SharedCell: Hashable {
  var cell: Cell
  /// The machine of all results in the group. Nil if the whole run used only one machine.
  var machine: String?
}

extension Cell {
  /// The benchmark without backend and durability, in which compared results may differ.
  var work: Cell { with { ($0.backend, $0.durability) = (Spec(id: ""), nil) } }
}

extension [SummaryRow] {
  /// Groups benchmark results by machine and by the properties of `shared`, such as all but the backend.
  func grouped(sharing shared: (Cell) -> Cell) -> [(key: SharedCell, members: [SummaryRow])] {
    let isMerged = Set(map(\.machine)).count > 1
    return grouped { SharedCell(cell: shared($0.cell), machine: isMerged ? $0.machine : nil) }
  }
}

/// The rule that decides which backends are ranked against each other: those with the required safety level and, if
/// this level is `crash` or higher, also safer ones.
enum Competition {
  typealias Members<Member> = (durability: Durability?, level: Level?, members: [Member])

  /// Divides the results of one workload into groups that are ranked separately, one for each durability or safety
  /// level.
  static func split<Member: Competitor>(_ all: [Member]) -> [Members<Member>] {
    all.grouped { $0.durability }.flatMap { durability, asked -> [Members<Member>] in
      guard let durability else { return [(nil, nil, asked)] }
      guard let required = durability.requiredLevel else {
        let levels = Set(asked.compactMap { $0.level }).sorted(by: >)
        let absent = asked.filter { $0.level == nil }
        return levels.map { level in (durability, level, asked.filter { takesPart($0.level, at: level) }) }
          + (absent.isEmpty ? [] : [(durability, nil, absent)])
      }
      let present = Set(asked.map { $0.backend })
      // A backend that was not measured with the requested durability takes part with its default settings.
      let standIns = all.filter {
        $0.durability == .shipped && !present.contains($0.backend) && takesPart($0.level, at: required)
      }
      return [(durability, required, asked + standIns)]
    }
  }

  /// Returns whether a backend with the safety level `level` may be ranked in the group for the level `required`.
  static func takesPart(_ level: Level?, at required: Level) -> Bool {
    guard let level else { return false }
    return level == required || (level > required && required >= .crash)
  }

  /// The explanation of the symbol `^` in reports.
  static let exceeds = "safer than required here"
}

/// Texts about the effect of a power cut on saved data, for the developer of an app.
enum PowerCut {
  /// Returns the effect of a power cut on saved data, such as `may lose the last save`. `syncs` are per operation.
  static func words(_ level: Level?, syncs: Double?) -> String {
    switch level {
    case .durable: "nothing lost"
    // With fewer than 0.5 syncs per save, several saves wait for one sync.
    case .intact: (syncs ?? 1) < 0.5 ? "may lose the last saves" : "may lose the last save"
    case .crash: "may be corrupt"
    case .fragile: "! a crash can empty it"
    case .volatile: Level.unwritten
    case nil: "-"
    }
  }

  /// Returns the effect of a power cut on a backend's saves, and the syncs per save:
  /// `may lose the last save, 4 syncs a save`.
  static func stake(_ row: SummaryRow) -> String {
    guard let syncs = row.perOperation(\.syncs) else { return words(row.level, syncs: nil) }
    let number = NumberFormat.perOperation(syncs)
    let operation = row.cell.workload.id.hasPrefix("save") ? "a save" : "an operation"
    return "\(words(row.level, syncs: syncs)), \(number) \(number == "1" ? "sync" : "syncs") \(operation)"
  }
}

extension SummaryRow {
  var afterPowerCut: String { PowerCut.words(level, syncs: perOperation(\.syncs)) }
}
