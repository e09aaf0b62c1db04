import Foundation
import StorageContract

/// A session that kills a second process during a save, and measures how soon the first process can save again.
final class KilledWriterSession: SharedStoreOwner, SharingSession {
  let blockSize = 1
  let measuresItself = true
  private(set) var settings = ""
  private var duration: Int64 = 0
  private var kills = 0
  private var isStuck = false

  /// The first process's counts of saves and errors, one element for each replaced store. A store is replaced if no
  /// save succeeds after a kill.
  private var formerTallies: [SharingTally] = []

  /// The time limits for repeating a failed save after a kill, in nanoseconds: for a busy store, and for other errors.
  private static let patience: (busy: Int64, other: Int64) = (5_000_000_000, 50_000_000)
  /// The number of saves that the second process completes before the save in which it is killed.
  private static let savesBefore = 2

  /// Whether the store's safety level requires that acknowledged saves survive the kill of a process.
  private var survives: Bool { context.environment.promises(.crash, by: context.backend) }

  /// Starts the second process, and waits until it is in the save that the kill will interrupt.
  func prepare(_ operations: Range<Int>) throws {
    if side == nil { settings = try open(mayLose: !survives).settings }
    guard let board, let side else { return }
    side.prepare(1)
    var random = RandomStream(seed: context.seed, .kind, operations.lowerBound)
    let holds = operations.lowerBound.isMultiple(of: 2)
    (board.state, board.signal, board[.begun], board[.ended]) = (.starting, .go, 0, 0)
    let partner = try context.startPartner(
      SecondProcessOrder(
        board: board.path, manner: manner, holdsIn: holds ? Self.savesBefore + 1 : nil, mayLose: !survives))
    self.partner = partner
    if holds { return try board.wait(for: partner) { board.state == .holding } }
    try board.wait(for: partner) { board[.begun] > 0 }
    let start = MonotonicTime.now
    try board.wait(for: partner) { board[.begun] > Self.savesBefore }
    // The approximate duration of a save of the second process.
    let typical = (MonotonicTime.now - start) / Int64(Self.savesBefore)
    let end = MonotonicTime.now + Int64(random.fraction() * Double(typical))
    while MonotonicTime.now < end {}
  }

  func perform(_ operation: Int) throws {
    let (partner, side) = (partner.unsafelyUnwrapped, side.unsafelyUnwrapped)
    let start = MonotonicTime.now
    partner.kill()
    isStuck = try !side.save()
    while isStuck {
      let patience = side.tally.isUncertain ? Self.patience.other : Self.patience.busy
      guard MonotonicTime.now - start < patience else { break }
      usleep(1_000)
      isStuck = try !side.save()
    }
    duration = MonotonicTime.now - start
    kills += 1
  }

  func ownDuration(of operation: Int) -> Int64? { duration }

  func verify(_ operations: Range<Int>) throws {
    partner?.bury()
    partner = nil
    guard isStuck, let side, let board else { return }
    guard !side.losesNothing else {
      throw VerificationError(
        "after the second process was killed in the middle of a save, the first process could save nothing: "
          + (side.report().lastError ?? "no reason was given"))
    }
    // The store accepts no more saves, so it is counted and replaced.
    isStuck = false
    formerTallies.append(side.report())
    try? side.share.store.close()
    self.side = nil
    try context.between { try context.reset() }
    (board[saved: 0], board[saved: 1]) = (0, 0)
  }

  func finish() throws {
    partner?.kill()
    partner?.bury()
    partner = nil
    if side == nil, kills > 0 { settings = try open(mayLose: !survives).settings }
    guard let board, let side else { return }
    try side.share.store.settle()
    try side.share.store.close()
    try judge(board, side, formerTallies + [side.report()], nil)
    findings += [
      Finding(SharingFinding.kills, Double(kills)), Finding(SharingFinding.stuck, Double(formerTallies.count)),
    ]
  }
}
