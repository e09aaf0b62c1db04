/// The safety of acknowledged saves that a row of a report promises, weakest first.
///
/// Rows are ranked within a level. Counted syncs check the level: see ``ObservedSaves/refutation(of:)``.
public enum Level: String, Sendable, Codable, CaseIterable, Comparable {
  /// Nothing leaves the process. Such rows are a lower bound for comparison and are never ranked.
  case volatile
  /// A crash or a full disk while saving can destroy what was saved before.
  case fragile
  /// Every acknowledged save survives a crash of the process; a power cut may corrupt the store.
  case crash
  /// In addition, after a power cut the store opens in the state of some earlier save.
  case intact
  /// In addition, a power cut loses no acknowledged save.
  case durable

  public static func < (left: Level, right: Level) -> Bool {
    left.rank < right.rank
  }

  private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// The value of `--durability`.
public enum Durability: String, Sendable, Codable, CaseIterable {
  /// The library's own settings, labelled with the level that they give.
  case shipped
  /// At least ``Level/crash``.
  case crash
  /// At least ``Level/intact``.
  case intact
  /// ``Level/durable``.
  case durable

  /// The level that a row must reach, or nil for ``shipped``, which accepts any.
  public var requiredLevel: Level? {
    switch self {
    case .shipped: nil
    case .crash: .crash
    case .intact: .intact
    case .durable: .durable
    }
  }
}

/// The answer of a backend to a requested durability.
public enum Promise: Equatable, Sendable {
  /// The backend can give it. The row then has this level, which may be higher than requested.
  case level(Level)
  /// The backend can only give less, for this reason; the row is `n/a`.
  case unavailable(String)
}
