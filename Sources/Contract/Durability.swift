/// A safety level that a backend promises for acknowledged saves. The levels are ordered from weakest to strongest.
public enum Level: String, Sendable, Codable, CaseIterable, Comparable {
  /// The level of a store that is kept only in memory, or that acknowledges saves before writing them to files. Reports
  /// do not rank such stores.
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
  /// The request for the default settings of the engine's library. Any safety level is accepted.
  case shipped
  /// The request that acknowledged saves survive a crash of the process.
  case crash
  /// The request that a power cut does not corrupt the store, but may undo the latest saves.
  case intact
  /// The request that acknowledged saves survive a power cut.
  case durable

  /// The lowest safety level that fulfills the requested durability. Nil for ``shipped``, which accepts any level.
  public var requiredLevel: Level? { Level(rawValue: rawValue) }
}

/// A backend's answer to a requested durability: the safety level that the backend promises, or a refusal.
public enum Promise: Equatable, Sendable {
  /// The safety level that the backend promises, which may be higher than the requested one.
  case level(Level)
  /// A refusal with its reason: the backend cannot give the requested durability. Reports show `n/a`.
  case unavailable(String)
}
