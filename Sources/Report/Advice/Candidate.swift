import StorageContract
import StorageStatistics

extension Advice {
  /// A storage engine that an app could use, with its settings and its measured costs.
  public struct Candidate: Sendable {
    /// The engine's name in reports, such as `Core Data work-alike` for an engine that imitates Core Data.
    public let name: String
    /// The durability (protection of saves from crashes) that the benchmark requested. `shipped` stands for the
    /// engine's default settings.
    public let durability: Durability
    /// The safety level: the data that the engine promises to keep after a crash or a power cut.
    public let level: Level
    /// Whether the engine itself did the measured work. False for imitations, such as of Core Data, and if the
    /// benchmark program performed an operation that the engine lacks. Such engines are never recommended.
    public let isNative: Bool
    /// The bytes that one save writes, including a later checkpoint. Nil if not counted.
    public let bytes: Double?
    /// The estimated time of one save.
    public let save: Estimate
    /// The estimated time of one read, with the settings of ``save``. Nil if reads were not measured, or if the app
    /// does not read.
    public let read: Estimate?
    /// The estimated time from the start of the process to the app's first screen. Nil if no launch was measured at or
    /// around the app's number of records.
    public let launch: Estimate?
    /// The time of one save plus the reads that the app makes for each save, in nanoseconds.
    public let total: Double
    /// The class of the engine's speed, such as `fastEnough`.
    public let speed: Speed
    /// The possible loss of data in a power cut and the number of syncs per save, as text:
    /// `may lose the last save, 4 syncs a save`.
    public let stake: String
    /// The time of one save plus the reads that the app makes for each save, in each round (repetition of all
    /// benchmarks).
    let rounds: Rounds
    /// Whether the engine may be recommended. Required are times from more than one process. Excluded are engines that
    /// imitate another engine, such as Core Data, and engines without a needed operation, which the benchmark program
    /// then performs instead.
    let canWin: Bool
    /// The factor by which the engine is slower than the fastest one at its safety level. Nil for the fastest engine,
    /// or if too few repetitions were measured.
    public internal(set) var slower: PairedRatio?
    /// The verdict of a comparison with the fastest engine at the same safety level, such as `slower`. Nil for the
    /// fastest engine, or if too few repetitions were measured.
    public internal(set) var verdict: RowVerdict?

    /// The engine's name. If default settings are not used, the durability follows: `sqlite (durable)`.
    public var fullName: String { durability == .shipped ? name : "\(name) (\(durability.rawValue))" }

    /// The costs of one save as text: the bytes written and the time, such as `4.3 kB and 100 µs`. The bytes are left
    /// out if they were not counted.
    var price: String { (bytes.map { "\(NumberFormat.bytes($0)) and " } ?? "") + save.inShort }
  }

  /// The engines that an app can choose from at one safety level (the data that survives a crash).
  public struct LevelChoice: Sendable {
    /// The safety level that all ``candidates`` have.
    public let level: Level
    /// The engines to choose from, the best first. They are sorted by speed class, then by time. In the class
    /// ``Speed/fastEnough``, bytes per save count more than time. Engines that cannot be recommended come last.
    public let candidates: [Candidate]

    /// The best engine that may be recommended and is not too slow. Nil if there is none.
    public var recommended: Candidate? { candidates.first { $0.canWin && $0.speed != .tooSlow } }

    /// The recommended engine and equally good ones, which have its speed class and are not shown to be slower. In the
    /// class ``Speed/fastEnough``, they also write exactly as many bytes per save. Empty if no engine is recommended.
    public var leaders: [Candidate] {
      guard let recommended else { return [] }
      return candidates.filter { candidate in
        if candidate.fullName == recommended.fullName { return true }
        guard candidate.canWin, candidate.speed == recommended.speed else { return false }
        if candidate.speed == .fastEnough, candidate.bytes != recommended.bytes { return false }
        return RowComparison(base: recommended, head: candidate)?.verdict != .slower
      }
    }

    /// The other engines, outside of ``leaders``, that are fast enough and may be recommended.
    public var alsoFastEnough: [Candidate] {
      let first = Set(leaders.map(\.fullName))
      return candidates.filter { $0.canWin && $0.speed == .fastEnough && !first.contains($0.fullName) }
    }
  }

  /// An engine that is left out of a recommendation, and the reason.
  public struct Absence: Sendable, Equatable {
    /// The engine's name. If default settings are not used, the durability follows: `sqlite (durable)`.
    public let name: String
    /// The reason why the engine is left out: `not measured at 50 records`.
    public let reason: String
    /// Whether the decision on the engine is still open: the engine was left out of a recommendation only because
    /// measurements are missing or were disturbed by other programs.
    public let isOpen: Bool
  }
}

extension Advice.Candidate: Contestant {
  var typicalTime: Double? { total }
}
