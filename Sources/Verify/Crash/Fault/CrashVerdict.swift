/// The verdict on a store in one case.
public enum CrashVerdict: String, Sendable, Codable, CodingKeyRepresentable, CaseIterable {
  /// The store holds exactly the acknowledged content. For a damaged file: the correct data.
  case kept
  /// Content is missing, as the level or the description allows. For a damaged file: an error reports the damage.
  case lostWithin = "lost-within-promise"
  /// Acknowledged content is missing.
  case lostAgainst = "lost-against-promise"
  /// The store holds part of a save, a save that threw, or content that never existed, or is no longer a store.
  case torn
  /// Nothing is missing, but an error was not a `StoreError`, or the store accepted no more saves.
  case refused
  /// The store returned wrong data, or did not report an error.
  case unnoticed
  /// The process died by itself or hung.
  case crashed
}

struct CrashFinding {
  var crashCase: CrashCase
  var verdict: CrashVerdict
  /// Whether the verdict breaks a promise of the backend.
  var isBroken: Bool
  /// The expected content and the content found, as half sentences; empty if there is nothing to report.
  var expected = ""
  var found = ""
  /// The call that was hit, as a half sentence.
  var call = ""
  /// Whether the fault occurred. A store may make fewer calls than in the run without a fault.
  var isReached = true
}
