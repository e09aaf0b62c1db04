/// The safety of acknowledged saves that a row of a report promises, weakest level first.
///
/// Reports rank rows within a level. Counted syncs check the level: see ``ObservedSaves/refutation(of:)``.
public enum Level: String, Sendable, Codable, CaseIterable, Comparable {
  /// The level of a store in memory only. Its rows in reports are a lower bound and are never ranked.
  case volatile
  /// The level at which a crash or a full disk during a save can destroy earlier saves.
  case fragile
  /// The level at which every acknowledged save survives a crash of the process; a power cut may corrupt the store.
  case crash
  /// The level at which the store, in addition to ``crash``, opens after a power cut in the state of some earlier save.
  case intact
  /// The level at which, in addition to ``intact``, a power cut loses no acknowledged save.
  case durable

  public static func < (left: Level, right: Level) -> Bool {
    left.rank < right.rank
  }

  private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// The durability that `--durability` requests for saves.
public enum Durability: String, Sendable, Codable, CaseIterable {
  /// The library's own settings, labeled with the level that they give.
  case shipped
  /// The request for at least ``Level/crash``: saves survive a crash of the process.
  case crash
  /// The request for at least ``Level/intact``: a power cut does not corrupt the store.
  case intact
  /// The request for ``Level/durable``: a power cut loses no acknowledged save.
  case durable

  /// The durability level that a row of a report must reach, or nil for ``shipped``, which accepts any level.
  public var requiredLevel: Level? {
    switch self {
    case .shipped: nil
    case .crash: .crash
    case .intact: .intact
    case .durable: .durable
    }
  }
}

/// A backend's answer to a requested durability.
public enum Promise: Equatable, Sendable {
  /// The backend can give the requested durability. The report's row has this level, which may be higher.
  case level(Level)
  /// The backend can only give less than requested, for this reason. The report's row is `n/a`.
  case unavailable(String)
}
