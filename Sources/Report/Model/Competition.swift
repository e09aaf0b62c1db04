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
