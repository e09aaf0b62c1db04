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
    /// Whether the engine itself did the measured work. False for an imitation of an engine, and for an operation that
    /// the engine lacks and the benchmark program emulates.
    public let isNative: Bool
    /// The bytes that one save writes, including a later checkpoint. Nil if not counted.
    public let bytes: Double?
    /// The time of one save with this engine, measured or interpolated.
    public let save: Estimate
    /// The time of one read with this engine, measured or interpolated. Nil if unknown, or if the app does not read.
    public let read: Estimate?
    /// The time that an app with this engine needs to launch, measured or interpolated. Nil if unknown.
    public let launch: Estimate?
    /// The time of one save plus the reads that the app makes for each save, in nanoseconds.
    public let total: Double
    /// The class of the engine's speed, such as `fastEnough`.
    public let speed: Speed
    /// A text on the data loss of this engine in a power cut, and on the syncs per save:
    /// `may lose the last save, 4 syncs a save`.
    public let stake: String
    /// The time of one save plus the reads that the app makes for each save, in each round (repetition).
    let rounds: Rounds
    /// Whether the engine may be recommended. False if not ``isNative``, or if only one process timed the save
    /// or the read.
    let canWin: Bool
    /// The comparison of the engine's time with that of the fastest engine of its safety level. Nil for the fastest
    /// engine, or if unknown.
    public internal(set) var comparison: RowComparison?

    /// The engine's name, with the durability unless default settings are used: `sqlite (durable)`.
    public var fullName: String { name + durability.suffix }

    var estimates: [Estimate?] { [save, read, launch] }

    /// The costs of one save as text: `4.3 kB and 100 µs`, or only `100 µs` if the bytes were not counted.
    var price: String { (bytes.map { "\(NumberFormat.bytes($0)) and " } ?? "") + save.inShort }
  }

  /// The engines that an app can choose from at one safety level (the data that survives a crash).
  public struct LevelChoice: Sendable {
    /// The safety level that all ``candidates`` have.
    public let level: Level
    /// The engines at this safety level, the best first. Engines that may not be recommended come last.
    public let candidates: [Candidate]

    /// The best engine that may be recommended and is not too slow. Nil if there is none.
    public var recommended: Candidate? { candidates.first { $0.canWin && $0.speed != .tooSlow } }

    /// The recommended engine, and the engines that are about as good. Empty if no engine is recommended.
    public var leaders: [Candidate] {
      guard let recommended else { return [] }
      return candidates.filter { candidate in
        if candidate.fullName == recommended.fullName { return true }
        guard candidate.canWin, candidate.speed == recommended.speed else { return false }
        if candidate.speed == .fastEnough, candidate.bytes != recommended.bytes { return false }
        return RowComparison(contest: recommended, candidate)?.verdict != .slower
      }
    }

    /// The engines outside of ``leaders`` that are fast enough and may be recommended.
    public var alsoFastEnough: [Candidate] {
      let first = Set(leaders.map(\.fullName))
      return candidates.filter { $0.canWin && $0.speed == .fastEnough && !first.contains($0.fullName) }
    }
  }

  /// An engine that is left out of a recommendation, and the reason.
  public struct Absence: Error, Equatable {
    /// The engine's name, with the durability unless default settings are used: `sqlite (durable)`.
    public let name: String
    /// The reason why the engine is left out of the recommendation: `not measured at 50 records`.
    public let reason: String
    /// Whether the engine is left out of the recommendation only because measurements are missing or were disturbed.
    public let isOpen: Bool
  }
}

extension Advice.Candidate: Contestant {
  var typicalTime: Double? { total }
}

/// The speed of a storage engine in an app, as one of three classes that a person can distinguish.
public enum Speed: Sendable, Comparable {
  /// A save with its reads takes at most one screen frame, and a launch at most 100 ms (or the user's limit).
  case fastEnough
  /// A save or a launch takes up to four times as long. A launch over the user's limit is ``tooSlow`` instead.
  case borderline
  /// A save or a launch takes longer than ``borderline`` allows, or a launch exceeds the user's limit.
  case tooSlow

  /// The longest launch that is perceived as immediate, in nanoseconds: 100 ms. Apple's target is 400 ms, according to
  /// "Reducing your app's launch time".
  public static let launch = 100_000_000.0

  /// The factor between the longest time of ``borderline`` and the longest time of ``fastEnough``.
  static let reach = 4.0

  /// Chooses the class of a time in nanoseconds: ``fastEnough`` up to `limit`, ``borderline`` up to four times that.
  init(_ nanoseconds: Double, limit: Double) {
    self = nanoseconds <= limit ? .fastEnough : nanoseconds <= limit * Self.reach ? .borderline : .tooSlow
  }

  /// The speed class as text, such as `fast enough`.
  public var words: String {
    switch self {
    case .fastEnough: "fast enough"
    case .borderline: "borderline"
    case .tooSlow: "too slow"
    }
  }
}
