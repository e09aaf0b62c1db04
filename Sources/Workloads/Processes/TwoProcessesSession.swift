import StorageContract

/// A session that saves while a second process saves into the store. In a trial that counts system calls, the two
/// processes save alternately; with `way=naive`, only the first process saves in such a trial.
final class TwoProcessesSession: SharedStoreOwner, SharingSession {
  let blockSize: Int
  let limit: Int?
  private var attempts = 0

  init(_ context: SessionContext, _ manner: SharingMode, saves: Int?) {
    limit = saves
    blockSize = max(1, min(4_096, (32 << 20) / (context.recordBytes + 128)))
    super.init(context, manner)
  }

  private var takesTurns: Bool { context.isCounting }
  override var isAlone: Bool { takesTurns && manner.way == .naive }
  var settings: String { side?.settings ?? "" }

  private func start() throws {
    try open()
    guard let board, !isAlone else { return }
    let partner = try context.startPartner(
      SecondProcessOrder(board: board.path, manner: manner, saves: limit, takesTurns: takesTurns))
    self.partner = partner
    try board.wait(for: partner) { board.state == .ready }
  }

  func prepare(_ operations: Range<Int>) throws {
    if side == nil { try start() }
    side?.prepare(operations.count)
  }

  func perform(_ operation: Int) throws {
    let (board, side) = (board.unsafelyUnwrapped, side.unsafelyUnwrapped)
    if attempts == 0 { board.signal = .go }
    if takesTurns, let partner {
      board[.turn] = operation + 1
      try board.wait(for: partner) { board[.ended] > operation }
    }
    attempts += 1
    let isSaved = try side.save()
    if takesTurns, !isSaved { throw StoreError.failed(side.report().lastError ?? "a save failed") }
  }

  func finish() throws {
    guard let board, let side else { return }
    self.board = nil
    // Long waits end the timed part early. The remaining saves are made here.
    while let limit, attempts > 0, !takesTurns, attempts < limit {
      attempts += 1
      try side.save()
    }
    // If timing never began, the second process need not make its saves.
    if limit == nil || takesTurns || attempts == 0 { board.signal = .stop }
    let report = try partner?.report()
    try side.share.store.settle()
    try side.share.store.close()
    guard !takesTurns else { return }
    try judge(board, side, [side.report()], report)
  }

  func bytesChanged(by operations: Int) -> Int {
    // The 8 bytes of each of two counts, and a payload with its time of change.
    stride(from: 1, through: operations, by: 1).reduce(0) { sum, number in
      sum + 16 + (records.own(number, of: 0).map { $0.payload.count + 8 } ?? 0)
    }
  }
}

extension SharedCounters {
  /// Waits until the second process has made a condition true.
  ///
  /// - Throws: If the second process ends too early: the error of the process, or ``StoreError/failed(_:)`` if the
  ///   process ended without an error.
  func wait(for partner: any RunningSecondProcess, until isSo: () -> Bool) throws {
    try Self.wait {
      if isSo() { return true }
      guard partner.hasEnded else { return false }
      // The process may have finished its work between the two checks.
      if isSo() { return true }
      _ = try partner.report()
      throw StoreError.failed("internal error: the second process ended before it had done its work; report it")
    }
  }
}
