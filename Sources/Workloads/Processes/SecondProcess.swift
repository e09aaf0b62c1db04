import StorageContract

/// The program of the second of two processes that save into one store at the same time.
public enum SecondProcess {
  private static let savesPerRead = 2

  /// Runs the second process: saves repeatedly until the first process signals a stop or all saves of `order` are
  /// attempted.
  ///
  /// - Throws: ``StoreError``, ``VerificationError``.
  public static func work(
    _ order: SecondProcessOrder, on source: any RecordSource, seed: UInt64, opening environment: StoreEnvironment,
    as backend: any StorageBackend.Type
  ) throws -> SharingTally {
    let board = try SharedCounters(order.board, isOwner: false)
    let side = try SharingSide(
      1, order.manner, board, SharedRecords(source, seed: seed), opening: environment, as: backend,
      mayLose: order.mayLose)
    board.state = .ready
    SharedCounters.wait { board.signal != .wait }
    var attempts = 0
    while board.signal == .go, attempts < order.saves ?? .max {
      if order.takesTurns {
        SharedCounters.wait { board[.turn] > attempts || board.signal == .stop }
        guard board.signal == .go else { break }
      }
      attempts += 1
      if attempts == order.holdsIn {
        side.inTheMiddle = {
          board.state = .holding
          SharedCounters.wait { false }
        }
      }
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
    return side.report()
  }
}
