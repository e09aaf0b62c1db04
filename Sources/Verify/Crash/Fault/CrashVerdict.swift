/// What became of a store in one case.
public enum CrashVerdict: String, Sendable, Codable, CodingKeyRepresentable, CaseIterable {
  /// Everything is there that was acknowledged, and nothing else; of a damaged file: the right data.
  case kept
  /// Something is gone, as the level or the description says that it may be; of a damaged file: an error tells it.
  case lostWithin = "lost-within-promise"
  /// Something is gone that was acknowledged.
  case lostAgainst = "lost-against-promise"
  /// Half a save is there, one that threw, or content that never was; or the file is no store any more.
  case torn
  /// Nothing is gone; but an error was no `StoreError`, or the store took no more saves.
  case refused
  /// Wrong data, or an error that nobody was told of.
  case unnoticed
  /// The process died by itself, or hung.
  case crashed
}

/// What one case has shown.
struct CrashFinding {
  var crashCase: CrashCase
  var verdict: CrashVerdict
  /// Whether that is against what the backend promises.
  var isBroken: Bool
  /// What should have been, and what was, in half sentences; empty where nothing is to be told.
  var expected = ""
  var found = ""
  /// The call that was hit, as a half sentence.
  var call = ""
  /// Whether the fault came to anything: a store may make fewer calls than it did before.
  var isReached = true
}
