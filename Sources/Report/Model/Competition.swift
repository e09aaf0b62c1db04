import StorageContract

/// A row or a series of rows that competes with others for the best time at a safety level.
protocol Competitor {
  var backend: Spec { get }
  /// The durability that was requested, such as `durable`. Nil for reads.
  var durability: Durability? { get }
  /// The safety level that was reached. Nil for reads, and for a backend that could not run.
  var level: Level? { get }
}

extension SummaryRow: Competitor {
  var backend: Spec { cell.backend }
  var durability: Durability? { cell.durability }
}

extension CostSeries: Competitor {}

/// A key by which rows are grouped: a benchmark cell with some properties removed, on one machine.
struct SharedCell: Hashable {
  var cell: Cell
  /// The machine of the grouped rows. Nil if all rows have the same machine.
  var machine: String?
}

extension [SummaryRow] {
  /// Groups the rows by their benchmark cell without the properties that the closure removes. Rows of different
  /// machines are never in one group, because their times are not compared.
  func grouped(without remove: (inout Cell) -> Void) -> [(key: SharedCell, members: [SummaryRow])] {
    let isMerged = Set(map(\.machine)).count > 1
    return grouped { row in
      var key = SharedCell(cell: row.cell, machine: isMerged ? row.machine : nil)
      remove(&key.cell)
      return key
    }
  }
}

/// The rule that decides which backends compete: all with the required safety level or a higher one. Tables, winners,
/// crossovers and advice share this rule, so that their rankings agree.
enum Competition {
  typealias Members<Member> = (durability: Durability?, level: Level?, members: [Member])

  /// Splits competitors with the same workload into groups, one for each safety level.
  ///
  /// If no level was requested, there is a group for each level that a backend has, with all backends that have or
  /// exceed it. If a level was requested, a backend that has it by default may take part with its default row.
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

  /// Returns whether a backend with one safety level takes part in a ranking that requires another.
  ///
  /// A safer backend takes part, too. The exception is a ranking of stores that a crash can empty, which are compared
  /// only with each other, because no app requires such a low level.
  static func takesPart(_ level: Level?, at required: Level) -> Bool {
    guard let level else { return false }
    return level == required || (level > required && required >= .crash)
  }

  /// The meaning of the symbol `^` in reports.
  static let exceeds = "safer than required here"
}

/// The effect of a power cut on saved data, in words for the developer of an app.
enum PowerCut {
  /// Returns the effect of a power cut in words: `may lose the last save`.
  ///
  /// - Parameters:
  ///   - level: The safety level. Nil for reads.
  ///   - syncs: The syncs of an operation. Nil if they were not counted.
  static func words(_ level: Level?, syncs: Double?) -> String {
    switch level {
    case .durable: "nothing lost"
    // With fewer than 0.5 syncs per save, several saves wait for one sync.
    case .intact: (syncs ?? 1) < 0.5 ? "may lose the last saves" : "may lose the last save"
    case .crash: "may be corrupt"
    case .fragile: "! a crash can empty it"
    case .volatile: "keeps nothing"
    case nil: "-"
    }
  }

  /// Returns the damage that a power cut may do, and the syncs of a save: `may lose the last save, 4 syncs a save`.
  /// Syncs explain why backends at one level differ in time.
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
