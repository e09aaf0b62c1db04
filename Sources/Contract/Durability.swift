/// A level of safety that a backend promises for acknowledged saves. The weakest level comes first.
///
/// Reports rank backends only within one level. A run counts syncs to check the level: see
/// ``ObservedSaves/refutation(of:)``.
public enum Level: String, Sendable, Codable, CaseIterable, Comparable {
  /// The level of a store in memory only, or of one that writes saves some time after it has acknowledged them. Reports
  /// never rank such a store.
  case volatile
  /// The level at which a crash or a full disk during a save can destroy earlier saves.
  case fragile
  /// The level at which every acknowledged save survives a crash of the process; a power cut may corrupt the store.
  case crash
  /// The level that adds to ``crash``: after a power cut, the store opens in the state of some earlier save.
  case intact
  /// The level that adds to ``intact``: a power cut loses no acknowledged save.
  case durable

  public static func < (left: Level, right: Level) -> Bool { left.rank < right.rank }

  private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// The safety of saves that the command-line option `--durability` requests: what must survive a crash or a power cut.
public enum Durability: String, Sendable, Codable, CaseIterable {
  /// The request to keep the default settings of the engine's library. Reports show the safety level that these
  /// settings give.
  case shipped
  /// The request for at least ``Level/crash``: saves survive a crash of the process.
  case crash
  /// The request for at least ``Level/intact``: a power cut does not corrupt the store.
  case intact
  /// The request for ``Level/durable``: a power cut loses no acknowledged save.
  case durable

  /// The lowest safety level that fulfills the requested durability. It is nil for ``shipped``, which accepts any
  /// level.
  public var requiredLevel: Level? {
    switch self {
    case .shipped: nil
    case .crash: .crash
    case .intact: .intact
    case .durable: .durable
    }
  }
}

/// A backend's promise when a durability of saves is requested: a safety level, or a refusal.
public enum Promise: Equatable, Sendable {
  /// The promised safety level, which fulfills the request. It may be higher than requested.
  case level(Level)
  /// A refusal, because the backend cannot give the requested durability. The text is the reason, and reports show
  /// `n/a`.
  case unavailable(String)
}
