import StorageContract

/// A judgment of a store after a power cut, based on the content that a new process found in the store.
struct PowerJudge {
  let subject: CheckedBackend
  let model: DiskModel
  /// The numbers of all saves, in order. The first ``onDisk`` saves were on the disk before the log of system calls
  /// began.
  let saves: [Int]
  /// The number of saves that were on the disk before the log of system calls began.
  let onDisk: Int
  let acknowledged: Int
  let read: StoreRead

  /// Whether the backend promises that a power cut leaves no torn store, such as one with half a save.
  private var mustNotTear: Bool { subject.level >= .intact }

  var expected: String {
    let left = acknowledged == 0 ? "an empty store" : "what \(SavingJudge.list(Array(saves.prefix(acknowledged)))) left"
    if subject.level == .durable { return "\(left), or a later save whole" }
    return mustNotTear
      ? (onDisk == 0 ? "an empty store, or " : "") + "what some save left, whole"
      : "anything: \(subject.level.rawValue) promises nothing here"
  }

  func finding(_ crashCase: CrashCase) -> CrashFinding {
    var finding = CrashFinding(crashCase: crashCase, expected: expected)
    if let fault {
      (finding.verdict, finding.found) = (fault.verdict, fault.found)
      // Losses on disk models harsher than ext4 with a journal are reported but break no promise.
      finding.isBroken = fault.isBroken && model == DiskModel.judged
    }
    return finding
  }

  private var fault: CrashFlaw? {
    if let ending = read.ending { return (.crashed, mustNotTear, "a process that opens the store dies: \(ending)") }
    if let error = read.error {
      let found = "the store cannot be read: \(error.sentence)"
      // A store that the power cut has left half made has nothing to lose.
      return acknowledged == 0 ? (.refused, !error.isTyped, found) : (.torn, mustNotTear, found)
    }
    // A loss that the safety level allows must not hide a loss that it forbids.
    if let lost, lost.isBroken || lost.verdict == .torn { return lost }
    if let again = read.again { return (.torn, mustNotTear, "opened a second time: \(again)") }
    if let next = read.next { return (.refused, mustNotTear, "a new process cannot make one save more: \(next)") }
    return lost
  }

  private var lost: CrashFlaw? {
    switch read.content {
    case .acknowledged: return nil
    case .earlier(let count):
      guard count < acknowledged else { return nil }
      let isBroken = subject.level == .durable || count < onDisk && mustNotTear
      let gone = SavingJudge.list(Array(saves[count..<acknowledged]))
      return (isBroken ? .lostAgainst : .lostWithin, isBroken, "\(gone) is gone")
    default: return (.torn, mustNotTear, read.difference)
    }
  }
}
