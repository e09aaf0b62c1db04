import StorageContract
import StorageStatistics

extension Advice {
  /// An engine with its settings, measured for the app.
  public struct Candidate: Sendable {
    /// The backend's name with the mark of an emulated engine or a work-alike.
    public let name: String
    /// The durability requested for the candidate.
    public let durability: Durability
    /// The safety level of the candidate.
    public let level: Level
    /// Whether the engine itself does the saves and reads. Only such a backend is recommended.
    public let isNative: Bool
    /// Bytes that a save writes, deferred ones included. Nil if they were not counted.
    public let bytes: Double?
    /// The time of a save.
    public let save: Estimate
    /// The time of a read with the same settings. Nil if reads do not count.
    public let read: Estimate?
    /// The time from the start to the first screen. Nil if launches were not measured at the app's number of records.
    public let launch: Estimate?
    /// The time of a save with its reads, in nanoseconds.
    public let total: Double
    /// The speed class of the candidate for the app.
    public let speed: Speed
    /// The effect of a power cut and the syncs of a save: `may lose the last save, 4 syncs a save`.
    public let stake: String
    /// The time of a save with its reads, for each round in which all of it was measured.
    let rounds: Rounds
    /// Whether the candidate may be recommended: the engine itself does the work, and it was timed more than once.
    let canWin: Bool
    /// The factor by which the candidate is slower than its level's fastest. Nil for that one or with too few rounds.
    public internal(set) var slower: PairedRatio?
    /// The verdict on the candidate against the fastest of its level. Nil for the fastest and with too few rounds.
    public internal(set) var verdict: RowVerdict?

    /// The candidate's name, with the durability if one was requested: `sqlite (durable)`.
    public var fullName: String { durability == .shipped ? name : "\(name) (\(durability.rawValue))" }

    /// The bytes and the time of a save: `4.3 kB and 100 µs`.
    var price: String {
      (bytes.map { "\(NumberFormat.bytes($0)) and " } ?? "") + save.inShort
    }
  }

  /// The candidates with the same safety level.
  public struct LevelChoice: Sendable {
    /// The safety level of all candidates.
    public let level: Level
    /// The candidates in the order of recommendation, see ``Advice``. Emulated engines and work-alikes come last.
    public let candidates: [Candidate]

    /// The first candidate that may be recommended and is not too slow. Nil if there is none.
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

    /// The candidates that are fast enough, without the leaders.
    public var alsoFastEnough: [Candidate] {
      let first = Set(leaders.map(\.fullName))
      return candidates.filter { $0.canWin && $0.speed == .fastEnough && !first.contains($0.fullName) }
    }
  }

  /// An engine that is not among the candidates, and the reason.
  public struct Absence: Sendable, Equatable {
    /// The engine's name, as in ``Candidate/fullName``.
    public let name: String
    /// The reason for the absence: a sentence without its subject.
    public let reason: String
    /// Whether a further measurement could make the engine a candidate.
    public let isOpen: Bool
  }
}

extension Advice.Candidate: Contestant {
  var typicalTime: Double? { total }
}
