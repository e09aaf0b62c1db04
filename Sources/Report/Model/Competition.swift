import StorageContract

/// A result, or a series of results by number of records, whose backend competes with other backends for the shortest
/// time.
protocol Competitor {
  var backend: Spec { get }
  var durability: Durability? { get }
  /// The safety level that was reached, which can differ from the requested ``durability``. Nil for reads, and for a
  /// backend that could not run.
  var level: Level? { get }
}

extension SummaryRow: Competitor {
  var backend: Spec { cell.backend }
  var durability: Durability? { cell.durability }
}

extension CostSeries: Competitor {}

/// A key by which results are grouped: a machine and a benchmark cell (backend, workload, size and conditions).
/// Properties in which the results of a group may differ are reset in the cell.
struct SharedCell: Hashable {
  var cell: Cell
  /// The machine of the grouped results. Nil if all results of the run are from one machine.
  var machine: String?
}

extension [SummaryRow] {
  /// Groups results whose benchmark cells (backend, workload, size and conditions) are equal, apart from the properties
  /// that `remove` resets. Results of different machines are never in one group, because their times cannot be
  /// compared.
  func grouped(without remove: (inout Cell) -> Void) -> [(key: SharedCell, members: [SummaryRow])] {
    let isMerged = Set(map(\.machine)).count > 1
    return grouped { row in
      var key = SharedCell(cell: row.cell, machine: isMerged ? row.machine : nil)
      remove(&key.cell)
      return key
    }
  }
}

/// The rule for which backends are ranked against each other: all that reach the required safety level (what survives a
/// crash) or a higher one. All parts of a report share this rule, so that their rankings agree.
enum Competition {
  typealias Members<Member> = (durability: Durability?, level: Level?, members: [Member])

  /// Splits competing results of one workload into groups, one for each durability and safety level.
  ///
  /// With default settings, there is a group for each safety level (what survives a crash) that some backend reaches.
  /// It has all backends that reach or exceed the level; see ``takesPart(_:at:)``.
  ///
  /// With a requested durability, the group has all results for which it was requested. A backend without such a result
  /// is represented by the result with default settings, if that is safe enough.
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
      let standIns = all.filter {
        $0.durability == .shipped && !present.contains($0.backend) && takesPart($0.level, at: required)
      }
      return [(durability, required, asked + standIns)]
    }
  }

  /// Returns whether a backend takes part in a ranking at a required safety level: its own level must be equal or
  /// higher. Below the level `crash`, a crash can empty the store. A ranking at such a level has only backends of
  /// exactly this level.
  static func takesPart(_ level: Level?, at required: Level) -> Bool {
    guard let level else { return false }
    return level == required || (level > required && required >= .crash)
  }

  /// The meaning of the symbol `^` in reports.
  static let exceeds = "safer than required here"
}

/// The effect of a power cut on saved data, as text for the developer of an app.
enum PowerCut {
  /// The effect of a power cut on a store that acknowledges saves before it writes them, or that keeps nothing.
  static let unwritten = "unwritten saves are lost"

  /// Returns the effect of a power cut on saved data, such as `may lose the last save`. It follows from the safety
  /// level and from the number of syncs per operation. Both are nil if unknown.
  static func words(_ level: Level?, syncs: Double?) -> String {
    switch level {
    case .durable: "nothing lost"
    // With fewer than 0.5 syncs per save, several saves wait for one sync.
    case .intact: (syncs ?? 1) < 0.5 ? "may lose the last saves" : "may lose the last save"
    case .crash: "may be corrupt"
    case .fragile: "! a crash can empty it"
    case .volatile: unwritten
    case nil: "-"
    }
  }

  /// Returns the possible loss in a power cut, followed by the number of syncs per operation:
  /// `may lose the last save, 4 syncs a save`. The number of syncs explains why backends of equal safety differ in
  /// time.
  static func stake(_ row: SummaryRow) -> String {
    let syncs = row.perOperation(\.syncs)
    let counted = syncs.map { count in
      let number = NumberFormat.perOperation(count)
      return
        "\(number) \(number == "1" ? "sync" : "syncs") \(row.cell.workload.id.hasPrefix("save") ? "a save" : "an operation")"
    }
    return ([words(row.level, syncs: syncs)] + [counted].compactMap { $0 }).joined(separator: ", ")
  }
}

extension SummaryRow {
  var afterPowerCut: String { PowerCut.words(level, syncs: perOperation(\.syncs)) }
}
