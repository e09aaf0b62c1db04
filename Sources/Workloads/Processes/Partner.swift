import StorageContract

/// What the second process is asked to do.
public struct PartnerOrder: Codable, Sendable {
  /// The memory that both share.
  var board: String
  var manner: SharingManner
  /// How many saves it makes; nil for as many as it can until it is stopped.
  var saves: Int?
  /// Whether it makes each save when it is told to.
  var takesTurns = false
  /// In the middle of which of its saves, counted from 1, it stays until it is killed.
  var holdsIn: Int?
  /// Whether losses are counted in any case, see ``SharingSide``.
  var mayLose = false
}

/// What the second process has met.
public struct PartnerReport: Codable, Sendable, Equatable {
  var tally: SharingTally
  /// Whether its last save failed in a way that leaves open whether it was made.
  var isUncertain: Bool
}

/// A second process that is at work.
public protocol RunningPartner: AnyObject {
  /// Whether it has ended, for whatever reason.
  var hasEnded: Bool { get }
  /// Sends it SIGKILL, and does not wait.
  func kill()
  /// Waits until a process that was killed is gone.
  func bury()
  /// Waits for its end.
  ///
  /// - Throws: ``StoreError/failed(_:)`` with what it says, where it could not do what it was asked to.
  func report() throws -> PartnerReport
}

/// The second process's side of the work.
public enum Partner {
  /// After how many saves it also looks once, without saving.
  private static let savesPerRead = 2

  /// Works until it is stopped, or has made its saves.
  ///
  /// - Throws: ``StoreError``, ``VerificationError``.
  public static func work(
    _ order: PartnerOrder, on source: any RecordSource, seed: UInt64, opening environment: StoreEnvironment,
    as backend: any StorageBackend.Type
  ) throws -> PartnerReport {
    let board = try ProcessBoard(order.board, isOwner: false)
    let side = try SharingSide(
      1, order.manner, board, SharedRecords(source, seed: seed), opening: environment, as: backend,
      mayLose: order.mayLose)
    board.state = .ready
    ProcessBoard.wait { board.signal != .wait }
    var attempts = 0
    while board.signal == .go, attempts < order.saves ?? .max {
      if order.takesTurns {
        ProcessBoard.wait { board[.turn] > attempts || board.signal == .stop }
        guard board.signal == .go else { break }
      }
      attempts += 1
      if attempts == order.holdsIn { side.inTheMiddle = { stay(board) } }
      side.prepare(1)
      board[.begun] = attempts
      let start = MonotonicTime.now
      let isSaved = try side.save()
      side.waited(MonotonicTime.now - start)
      if order.takesTurns, !isSaved { throw StoreError.failed(side.report().lastError ?? "a save failed") }
      board[.ended] = attempts
      if !order.takesTurns, attempts.isMultiple(of: savesPerRead) { try side.read() }
    }
    try side.share.store.close()
    return PartnerReport(tally: side.report(), isUncertain: side.isUncertain)
  }

  private static func stay(_ board: ProcessBoard) {
    board.state = .holding
    ProcessBoard.wait { false }
  }
}
