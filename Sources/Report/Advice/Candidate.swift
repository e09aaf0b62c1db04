import StorageContract
import StorageStatistics

extension Advice {
  /// A storage engine from which an app can choose, with its settings and its measured costs.
  public struct Candidate: Sendable {
    /// The engine's name for readers, such as `Core Data work-alike` for an engine that imitates Core Data.
    public let name: String
    /// The durability that the engine was set to, or `shipped` for its default settings.
    public let durability: Durability
    /// The safety level: the data that the engine guarantees to keep after a crash or a power cut.
    public let level: Level
    /// Whether the original engine does the work. Engines that are emulated or imitated are never recommended.
    public let isNative: Bool
    /// The bytes that one save writes, including bytes written later, such as by a checkpoint. Nil if not counted.
    public let bytes: Double?
    /// The estimated time of one save.
    public let save: Estimate
    /// The estimated time of one read, with the same engine settings as for ``save``. Nil if not measured, or if the
    /// app never reads.
    public let read: Estimate?
    /// The time from the start of the process to the app's first screen. Nil if no launch was measured at or around the
    /// app's number of records.
    public let launch: Estimate?
    /// The time of one save plus the reads that the app makes for each save, in nanoseconds.
    public let total: Double
    /// The class of the engine's speed for the app, such as `fastEnough`.
    public let speed: Speed
    /// The damage that a power cut may do, and the syncs of one save, as text: `may lose the last save, 4 syncs a
    /// save`.
    public let stake: String
    /// The time of one save plus the app's reads, in each round (repetition of the measurement).
    let rounds: Rounds
    /// Whether the engine may be recommended: it was timed more than once, and is neither emulated nor an imitation.
    let canWin: Bool
    /// The factor by which the engine is slower than the fastest of the same safety level. Nil for the fastest engine,
    /// and if too few rounds (repetitions of the measurement) exist.
    public internal(set) var slower: PairedRatio?
    /// The result of comparing the engine with the fastest of the same safety level: slower, about equal or
    /// inconclusive. Nil for the fastest engine, and if too few rounds (repetitions of the measurement) exist.
    public internal(set) var verdict: RowVerdict?

    /// The engine's name, with the durability if it was set: `sqlite (durable)`.
    public var fullName: String { durability == .shipped ? name : "\(name) (\(durability.rawValue))" }

    /// The bytes and the time of one save as text: `4.3 kB and 100 µs`.
    var price: String { (bytes.map { "\(NumberFormat.bytes($0)) and " } ?? "") + save.inShort }
  }

  /// The engines to choose from (candidates) at one safety level, which says what survives a crash or a power cut.
  public struct LevelChoice: Sendable {
    /// The safety level that all ``candidates`` have.
    public let level: Level
    /// The engines to choose from, the best first as in ``Advice``. Emulated engines and work-alikes (imitations) come
    /// last.
    public let candidates: [Candidate]

    /// The best candidate that may be recommended and is not too slow. Nil if there is none.
    public var recommended: Candidate? { candidates.first { $0.canWin && $0.speed != .tooSlow } }

    /// The recommended candidate and its equals; empty if none is recommended. An equal is in the same speed class and
    /// was not shown to be slower. In the class ``Speed/fastEnough``, an equal also writes the same number of bytes.
    public var leaders: [Candidate] {
      guard let recommended else { return [] }
      return candidates.filter { candidate in
        if candidate.fullName == recommended.fullName { return true }
        guard candidate.canWin, candidate.speed == recommended.speed else { return false }
        if candidate.speed == .fastEnough, candidate.bytes != recommended.bytes { return false }
        return RowComparison(base: recommended, head: candidate)?.verdict != .slower
      }
    }

    /// The candidates that are fast enough but are not among the ``leaders``.
    public var alsoFastEnough: [Candidate] {
      let first = Set(leaders.map(\.fullName))
      return candidates.filter { $0.canWin && $0.speed == .fastEnough && !first.contains($0.fullName) }
    }
  }

  /// An engine that is left out of a recommendation, and the reason.
  public struct Absence: Sendable, Equatable {
    /// The engine's name, with the durability if it was set: `sqlite (durable)`.
    public let name: String
    /// The reason why the engine is left out, for use after its name: `not measured at 50 records`.
    public let reason: String
    /// Whether more measurements could bring the engine into the recommendation. False if the engine failed or is not
    /// safe enough, for example.
    public let isOpen: Bool
  }
}

extension Advice.Candidate: Contestant {
  var typicalTime: Double? { total }
}
