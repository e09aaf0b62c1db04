import StorageContract
import StorageStatistics

extension Advice {
  /// An engine with its settings, measured for the app.
  public struct Candidate: Sendable {
    /// The backend's name with its mark.
    public let name: String
    /// What was asked of it.
    public let durability: Durability
    /// What it promises.
    public let level: Level
    /// Whether saves and reads are the engine's own doing: only such a backend is recommended.
    public let isNative: Bool
    /// Bytes that a save writes, deferred ones included; nil where they were not counted.
    public let bytes: Double?
    /// What a save takes.
    public let save: Estimate
    /// What a read takes with the same settings; nil where no reads count.
    public let read: Estimate?
    /// What it takes from the start to the first screen; nil where that was not measured at this size.
    public let launch: Estimate?
    /// Nanoseconds of a save with its reads.
    public let total: Double
    /// See ``Speed``.
    public let speed: Speed
    /// What is at stake with it: `may lose the last save, 4 syncs a save`.
    public let stake: String
    /// The total from each round in which all of it was measured.
    let rounds: Rounds
    /// Whether it may be recommended: the engine's own doing, timed more than once.
    let canWin: Bool
    /// By which factor it is slower than the fastest of its level; nil for that one, and where the rounds are too few.
    public internal(set) var slower: PairedRatio?
    /// What is said of it against the fastest of its level; nil for that one, and where the rounds are too few.
    public internal(set) var verdict: RowVerdict?

    /// `sqlite (durable)`: with the level where it was set to one.
    public var fullName: String { durability == .shipped ? name : "\(name) (\(durability.rawValue))" }

    /// `4.3 kB and 100 us`, what a save writes and takes.
    var price: String {
      (bytes.map { "\(NumberFormat.bytes($0)) and " } ?? "") + save.inShort
    }
  }

  /// Engines that keep one promise.
  public struct LevelChoice: Sendable {
    /// What all of them promise.
    public let level: Level
    /// In the order in which they are recommended, see ``Advice``; then what is emulated or a work-alike.
    public let candidates: [Candidate]

    /// The first that may be recommended and is not too slow; nil where there is none.
    public var recommended: Candidate? { candidates.first { $0.canWin && $0.speed != .tooSlow } }

    /// The recommended one, and those that nothing sets apart from it: of the same speed, with as many bytes where these
    /// count, and not shown to be slower.
    public var leaders: [Candidate] {
      guard let recommended else { return [] }
      return candidates.filter { candidate in
        if candidate.fullName == recommended.fullName { return true }
        guard candidate.canWin, candidate.speed == recommended.speed else { return false }
        if candidate.speed == .fastEnough, candidate.bytes != recommended.bytes { return false }
        return RowComparison(base: recommended, head: candidate)?.verdict != .slower
      }
    }

    /// The others that are fast enough.
    public var alsoFastEnough: [Candidate] {
      let first = Set(leaders.map(\.fullName))
      return candidates.filter { $0.canWin && $0.speed == .fastEnough && !first.contains($0.fullName) }
    }
  }

  /// An engine that is not among the candidates, and why.
  public struct Absence: Sendable, Equatable {
    /// Its name, as ``Candidate/fullName``.
    public let name: String
    /// A sentence without its subject.
    public let reason: String
    /// Whether a measurement could bring it in.
    public let isOpen: Bool
  }
}

extension Advice.Candidate: Contestant {
  var typicalTime: Double? { total }
}
