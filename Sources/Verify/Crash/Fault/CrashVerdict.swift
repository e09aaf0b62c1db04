/// The verdict on a store after one case of a crash test.
public enum CrashVerdict: String, Sendable, Codable, CodingKeyRepresentable, CaseIterable {
  /// The store holds exactly the content of the acknowledged saves. After damage to a file, this verdict means that the
  /// store returns correct data.
  case kept
  /// Content is missing, but the backend's safety level or description allows the loss. After damage to a file, this
  /// verdict means that the store throws an error.
  case lostWithin = "lost-within-promise"
  /// Content of an acknowledged save is missing, although the backend promises to keep it.
  case lostAgainst = "lost-against-promise"
  /// The store holds half a save, a save that threw, or content that never existed; or it is no longer a store.
  case torn
  /// No content is missing, but the store threw an error that is no `StoreError`, or accepted no more saves.
  case refused
  /// The store returned wrong data without an error, or acknowledged a save although a sync had failed.
  case unnoticed
  /// The process crashed or hung by itself, not by the injected fault.
  case crashed
}

struct CrashFinding {
  var crashCase: CrashCase
  var verdict: CrashVerdict
  var isBroken: Bool
  var expected = ""
  var found = ""
  /// A description of the injected power cut or file damage; empty for other faults.
  var call = ""
  /// The calls of the two processes of a ``ScheduleFault``, in two columns; empty for other faults.
  var columns: [String] = []
  /// Whether the fault occurred. A fault does not occur if the store makes fewer calls than in the run without a fault.
  var isReached = true
}
