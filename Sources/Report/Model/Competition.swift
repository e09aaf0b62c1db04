import StorageContract

/// Something that was asked for a durability, and promises a level.
protocol Competitor {
  /// The backend with its options.
  var backend: Spec { get }
  /// What was asked; nil for reads.
  var durability: Durability? { get }
  /// What it promises; nil for reads, and where it could not be brought to run.
  var level: Level? { get }
}

extension SummaryRow: Competitor {
  var backend: Spec { cell.backend }
  var durability: Durability? { cell.durability }
}

extension CostSeries: Competitor {}

/// Who competes with whom: everything that promises at least what must survive. Tables, verdicts, crossovers and advice
/// take it from here, so that they rank alike.
enum Competition {
  /// Those who compete under one promise.
  typealias Members<Member> = (durability: Durability?, level: Level?, members: [Member])

  /// Splits what did the same work by what must survive.
  ///
  /// Rows as shipped compete once at each level that occurs among them, from the strongest down. Where a level was asked
  /// for, a backend that has it as shipped and was not run again takes part with what it ships.
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

  /// Whether what promises a level competes where another one must survive.
  ///
  /// More than enough is enough. But what can lose everything at once, and floors, compete among themselves: nobody
  /// asks for that.
  static func takesPart(_ level: Level?, at required: Level) -> Bool {
    guard let level else { return false }
    return level == required || (level > required && required >= .crash)
  }

  /// What `^` says.
  static let exceeds = "promises more than the level it is ranked at"
}

/// What a power cut does to what was saved, in the words of an app's author.
enum PowerCut {
  /// `may lose the last save`.
  ///
  /// - Parameters:
  ///   - level: What is promised; nil for reads.
  ///   - syncs: How often an operation syncs; nil where that was not counted.
  static func words(_ level: Level?, syncs: Double?) -> String {
    switch level {
    case .durable: "nothing lost"
    // Less than one sync a save: several saves wait for the next one.
    case .intact: (syncs ?? 1) < 0.5 ? "may lose the last saves" : "may lose the last save"
    case .crash: "may be corrupt"
    case .fragile: "! a crash can empty it"
    case .volatile: "keeps nothing"
    case nil: "-"
    }
  }

  /// `may lose the last save, 4 syncs a save`: what a time must be read with where backends promise alike but wait for
  /// different things.
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
  /// What a power cut does to what was saved.
  var afterPowerCut: String { PowerCut.words(level, syncs: perOperation(\.syncs)) }
}
