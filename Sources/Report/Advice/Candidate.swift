import StorageContract
import StorageStatistics

extension Advice {
  /// A storage engine that an app could use, with its settings and its measured costs.
  public struct Candidate: Sendable {
    /// The engine's name in reports, such as `Core Data work-alike`.
    public let name: String
    /// The requested durability of saves. `shipped` stands for the engine's default settings.
    public let durability: Durability
    /// The safety level: the data that the engine promises to keep after a crash or a power cut.
    public let level: Level
    /// Whether the engine itself did the measured work. False for an imitation, and for operations that the engine
    /// lacks.
    public let isNative: Bool
    /// The bytes that one save writes, including a later checkpoint. Nil if not counted.
    public let bytes: Double?
    /// The estimated time of one save.
    public let save: Estimate
    /// The estimated time of one read. Nil if reads were not measured, or if the app does not read.
    public let read: Estimate?
    /// The estimated time from process start to first screen. Nil if not measured around the app's number of records.
    public let launch: Estimate?
    /// The time of one save plus the reads that the app makes for each save, in nanoseconds.
    public let total: Double
    /// The class of the engine's speed, such as `fastEnough`.
    public let speed: Speed
    /// The possible data loss in a power cut and the syncs per save, as text: `may lose the last save, 4 syncs a save`.
    public let stake: String
    /// The time of one save plus the reads that the app makes for each save, in each round (repetition).
    let rounds: Rounds
    /// Whether the engine may be recommended: an engine that did the work itself, timed by more than one process.
    let canWin: Bool
    /// The factor by which the engine is slower than the fastest at its safety level. Nil for the fastest, or if
    /// unknown.
    public internal(set) var slower: PairedRatio?
    /// The result of comparing the engine with the fastest at its safety level. Nil for the fastest, or if unknown.
    public internal(set) var verdict: RowVerdict?

    /// The engine's name, with the durability unless default settings are used: `sqlite (durable)`.
    public var fullName: String { durability == .shipped ? name : "\(name) (\(durability.rawValue))" }

    /// The costs of one save as text: `4.3 kB and 100 µs`. The bytes are left out if not counted.
    var price: String { (bytes.map { "\(NumberFormat.bytes($0)) and " } ?? "") + save.inShort }
  }

  /// The engines that an app can choose from at one safety level (the data that survives a crash).
  public struct LevelChoice: Sendable {
    /// The safety level that all ``candidates`` have.
    public let level: Level
    /// The engines, the best first: fast enough ones by bytes per save, others by time, then those that cannot be
    /// recommended.
    public let candidates: [Candidate]

    /// The best engine that may be recommended and is not too slow. Nil if there is none.
    public var recommended: Candidate? { candidates.first { $0.canWin && $0.speed != .tooSlow } }

    /// The recommended engine and those of its speed class that are about as good. Empty if no engine is recommended.
    public var leaders: [Candidate] {
      guard let recommended else { return [] }
      return candidates.filter { candidate in
        if candidate.fullName == recommended.fullName { return true }
        guard candidate.canWin, candidate.speed == recommended.speed else { return false }
        if candidate.speed == .fastEnough, candidate.bytes != recommended.bytes { return false }
        return RowComparison(base: recommended, head: candidate)?.verdict != .slower
      }
    }

    /// The engines outside of ``leaders`` that are fast enough and may be recommended.
    public var alsoFastEnough: [Candidate] {
      let first = Set(leaders.map(\.fullName))
      return candidates.filter { $0.canWin && $0.speed == .fastEnough && !first.contains($0.fullName) }
    }
  }

  /// An engine that is left out of a recommendation, and the reason.
  public struct Absence: Sendable, Equatable {
    /// The engine's name, with the durability unless default settings are used: `sqlite (durable)`.
    public let name: String
    /// The reason why the engine is left out: `not measured at 50 records`.
    public let reason: String
    /// Whether the engine was left out only because measurements are missing or were disturbed by other programs.
    public let isOpen: Bool
  }
}

extension Advice.Candidate: Contestant {
  var typicalTime: Double? { total }
}
