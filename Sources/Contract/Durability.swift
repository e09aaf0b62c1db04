/// What a row promises about acknowledged saves, weakest first.
///
/// Levels are what rows are ranked within. They are confirmed by counted syncs, not taken on trust: see
/// ``ObservedSaves/refutation(of:)``.
public enum Level: String, Sendable, Codable, CaseIterable, Comparable {
  /// Nothing leaves the process. A floor to compare with, never ranked.
  case volatile
  /// A crash or a full disk while saving can destroy what was saved before.
  case fragile
  /// Every acknowledged save survives the death of the process; a power cut may corrupt.
  case crash
  /// And after a power cut the store opens at some earlier save.
  case intact
  /// And no acknowledged save is lost.
  case durable

  public static func < (left: Level, right: Level) -> Bool {
    left.rank < right.rank
  }

  private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// What the user asked for with `--durability`.
public enum Durability: String, Sendable, Codable, CaseIterable {
  /// The library untouched, labelled with the level that it has.
  case shipped
  /// At least ``Level/crash``.
  case crash
  /// At least ``Level/intact``.
  case intact
  /// ``Level/durable``.
  case durable

  /// The level that a row must reach, or nil for ``shipped``, which takes what comes.
  public var requiredLevel: Level? {
    switch self {
    case .shipped: nil
    case .crash: .crash
    case .intact: .intact
    case .durable: .durable
    }
  }
}

/// What a backend answers when asked for a durability.
public enum Promise: Equatable, Sendable {
  /// It can, and the row then has this level, which may be more than was asked.
  case level(Level)
  /// It can only do less, for the reason given; the row is `n/a`.
  case unavailable(String)
}
