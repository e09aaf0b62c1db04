/// The verdict on a store after one crash-test case, that is, after one injected fault.
public enum CrashVerdict: String, Sendable, Codable, CodingKeyRepresentable, CaseIterable {
  /// The store holds exactly the acknowledged saves. A save that the fault interrupted is stored whole or not at all.
  case kept
  /// Content is missing, but no promise is broken. Either the promises allow the loss, or the test damaged a file and
  /// the store threw a `StoreError`.
  case lostWithin = "lost-within-promise"
  /// Content of an acknowledged save is missing, although the backend promises to keep such content.
  case lostAgainst = "lost-against-promise"
  /// The store cannot be read, or holds wrong content, such as half a save.
  case torn
  /// No content is missing, but the store threw an error that is not a `StoreError`, or accepted no more saves.
  case refused
  /// A failure that the store did not report: a read returned wrong data, or a save was acknowledged although the sync
  /// of a file had failed.
  case unnoticed
  /// The process that used the store crashed or hung. A kill that the test causes on purpose does not count as a crash.
  case crashed
}

/// A flaw found in the store after the injected fault, such as a lost save.
typealias CrashFlaw = (verdict: CrashVerdict, isBroken: Bool, found: String)

struct CrashFinding: Codable {
  var crashCase: CrashCase
  var verdict = CrashVerdict.kept
  var isBroken = false
  var expected = ""
  var found = ""
  /// A description of the power cut or file damage, such as `The power goes after ...`; empty for other faults.
  var call = ""
  /// Lines of text that show the system calls of two processes in two columns. Empty unless the injected fault is
  /// `schedule`.
  var columns: [String] = []
  /// Whether the fault occurred. A fault does not occur, for example, if the store makes fewer system calls than
  /// expected.
  var isReached = true
}
