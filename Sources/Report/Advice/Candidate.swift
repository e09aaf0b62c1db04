import StorageContract
import StorageStatistics

extension Advice {
  /// An engine with its settings, measured for the app.
  public struct Candidate: Sendable {
    /// The backend's name with its mark.
    public let name: String
    /// The requested durability.
    public let durability: Durability
    /// The safety level.
    public let level: Level
    /// Whether the engine itself does the saves and reads. Only such a backend is recommended.
    public let isNative: Bool
    /// Bytes that a save writes, deferred ones included. Nil if they were not counted.
    public let bytes: Double?
    /// The time of a save.
    public let save: Estimate
    /// The time of a read with the same settings. Nil if reads do not count.
    public let read: Estimate?
    /// The time from the start to the first screen. Nil if that was not measured at this size.
    public let launch: Estimate?
    /// Nanoseconds of a save with its reads.
    public let total: Double
    /// The speed class, see ``Speed``.
    public let speed: Speed
    /// The effect of a power cut and the syncs of a save: `may lose the last save, 4 syncs a save`.
    public let stake: String
    /// The total from each round in which all of it was measured.
    let rounds: Rounds
    /// Whether it may be recommended: the engine itself does the work, and it was timed more than once.
    let canWin: Bool
    /// The factor by which it is slower than the fastest of its level. Nil for the fastest, and if there are too few
    /// rounds.
    public internal(set) var slower: PairedRatio?
    /// The verdict against the fastest of its level. Nil for the fastest, and if there are too few rounds.
    public internal(set) var verdict: RowVerdict?

    /// The name with the level if one was set: `sqlite (durable)`.
    public var fullName: String { durability == .shipped ? name : "\(name) (\(durability.rawValue))" }

    /// The bytes and the time of a save: `4.3 kB and 100 µs`.
    var price: String {
      (bytes.map { "\(NumberFormat.bytes($0)) and " } ?? "") + save.inShort
    }
  }

  /// Engines with the same level of safety.
  public struct LevelChoice: Sendable {
    /// The level of all candidates.
    public let level: Level
    /// The candidates in the order of recommendation, see ``Advice``. Emulated ones and work-alikes come last.
    public let candidates: [Candidate]

    /// The first that may be recommended and is not too slow. Nil if there is none.
    public var recommended: Candidate? { candidates.first { $0.canWin && $0.speed != .tooSlow } }

    /// The recommended candidate and those that are indistinguishable from it: of the same speed class, with as many
    /// bytes if bytes count, and not shown to be slower.
    public var leaders: [Candidate] {
      guard let recommended else { return [] }
      return candidates.filter { candidate in
        if candidate.fullName == recommended.fullName { return true }
        guard candidate.canWin, candidate.speed == recommended.speed else { return false }
        if candidate.speed == .fastEnough, candidate.bytes != recommended.bytes { return false }
        return RowComparison(base: recommended, head: candidate)?.verdict != .slower
      }
    }

    /// The other candidates that are fast enough.
    public var alsoFastEnough: [Candidate] {
      let first = Set(leaders.map(\.fullName))
      return candidates.filter { $0.canWin && $0.speed == .fastEnough && !first.contains($0.fullName) }
    }
  }

  /// An engine that is not among the candidates, and the reason.
  public struct Absence: Sendable, Equatable {
    /// The name, as in ``Candidate/fullName``.
    public let name: String
    /// A sentence without its subject.
    public let reason: String
    /// Whether a measurement could make it a candidate.
    public let isOpen: Bool
  }
}

extension Advice.Candidate: Contestant {
  var typicalTime: Double? { total }
}
