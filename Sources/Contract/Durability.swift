/// A safety level that a backend promises for acknowledged saves. The levels are ordered from weakest to strongest.
public enum Level: String, Sendable, Codable, CaseIterable, Comparable {
  /// The level of a store only in memory, or with writes after the acknowledgment. Reports do not rank such stores.
  case volatile
  /// The level at which a crash or a full disk during a save can destroy earlier saves.
  case fragile
  /// The level at which every acknowledged save survives a crash of the process. A power cut may corrupt the store.
  case crash
  /// The level at which a power cut may undo the latest saves, but does not corrupt the store. A process crash loses
  /// nothing.
  case intact
  /// The level at which every acknowledged save survives crashes and power cuts.
  case durable

  public static func < (left: Level, right: Level) -> Bool { left.rank < right.rank }

  private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// The durability that a user requests for saves with the option `--durability`: for example, surviving a power cut.
public enum Durability: String, Sendable, Codable, CaseIterable {
  /// The user's request to keep the default settings of the engine's library, and to accept their safety level.
  case shipped
  /// The user's request that acknowledged saves survive a process crash, met by the safety level ``Level/crash`` or
  /// higher.
  case crash
  /// The user's request that a power cut may undo the latest saves but not corrupt the store, met by ``Level/intact``
  /// or higher.
  case intact
  /// The user's request that a power cut loses no acknowledged save, met by the safety level ``Level/durable``.
  case durable

  /// The lowest safety level that fulfills the requested durability. Nil for ``shipped``, which accepts any level.
  public var requiredLevel: Level? {
    switch self {
    case .shipped: nil
    case .crash: .crash
    case .intact: .intact
    case .durable: .durable
    }
  }
}

/// A backend's answer to a requested durability: the safety level that the backend promises, or a refusal.
public enum Promise: Equatable, Sendable {
  /// The safety level that the backend promises, which may be higher than the requested one.
  case level(Level)
  /// A refusal with its reason: the backend cannot give the requested durability. Reports show `n/a`.
  case unavailable(String)
}
