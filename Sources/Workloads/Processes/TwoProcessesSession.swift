import StorageContract

/// A session that saves while a second process saves into the store. In a trial that counts system calls, the two
/// processes save alternately; with `way=naive`, only the first process saves in such a trial.
final class TwoProcessesSession: WorkloadSession {
  let blockSize: Int
  let limit: Int?
  private let context: SessionContext
  private let manner: SharingMode
  private let records: SharedRecords
  private var board: SharedCounters?
  private var side: SharingSide?
  private var partner: (any RunningSecondProcess)?
  private(set) var findings: [Finding] = []
  private var outcome: Expectation?
  private var hasBegun = false
  private var attempts = 0

  init(_ context: SessionContext, _ manner: SharingMode, saves: Int?) {
    self.context = context
    self.manner = manner
    limit = saves
    records = SharedRecords(context.sharedSource, seed: context.seed)
    blockSize = max(1, min(4_096, (32 << 20) / (context.recordBytes + 128)))
  }

  private var takesTurns: Bool { context.isCounting }
  private var isAlone: Bool { takesTurns && manner.way == .naive }

  var settings: String { side?.settings ?? "" }

  func setUp() {}

  private func open() throws {
    // While the store is open, any other open and close of its files in this process would release the locks of SQLite
    // and LMDB (fcntl(2); https://sqlite.org/howtocorrupt.html, 2.2).
    let board = try SharedCounters.make()
    self.board = board
    side = try SharingSide(0, manner, board, records, opening: context.environment, as: context.backend)
    guard !isAlone else { return }
    let partner = try context.startPartner(
      SecondProcessOrder(board: board.path, manner: manner, saves: limit, takesTurns: takesTurns))
    self.partner = partner
    try board.wait(for: partner) { board.state == .ready }
  }

  func prepare(_ operations: Range<Int>) throws {
    if side == nil { try open() }
    side?.prepare(operations.count)
  }

  func perform(_ operation: Int) throws {
    let (board, side) = (board.unsafelyUnwrapped, side.unsafelyUnwrapped)
    if !hasBegun {
      hasBegun = true
      board.signal = .go
    }
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
    while let limit, hasBegun, !takesTurns, attempts < limit {
      attempts += 1
      try side.save()
    }
    // If timing never began, the second process need not make its saves.
    if limit == nil || takesTurns || !hasBegun { board.signal = .stop }
    let report = try partner?.report()
    try side.share.store.settle()
    try side.share.store.close()
    guard !takesTurns else { return }
    var judge = SharingJudge(
      context: context, records: records, saves: [board[saved: 0], board[saved: 1]],
      uncertain: [side.isUncertain, report?.isUncertain ?? false], losesNothing: side.losesNothing)
    let result = try judge.judge()
    outcome = result.expectation
    findings = SharingFinding.all([side.report()], report?.tally, result)
  }

  func bytesChanged(by operations: Int) -> Int {
    stride(from: 1, through: operations, by: 1).reduce(0) { $0 + records.bytesChanged($1, of: 0) }
  }

  func expectation(after operations: Int) -> Expectation {
    outcome ?? records.expectation(context.fixture, after: [operations, isAlone ? 0 : operations])
  }

  func hash(_ operation: Int, into hash: inout StableHash) {
    for side in 0..<2 { records.own(operation + 1, of: side)?.withView { hash.add($0) } }
    hash.add(UInt64(operation))
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

extension SharingFinding {
  static func all(_ own: [SharingTally], _ other: SharingTally?, _ result: SharingJudge.Result) -> [Finding] {
    let sides = own + (other.map { [$0] } ?? [])
    let errors = sides.reduce(into: [:]) { $0.merge($1.errors, uniquingKeysWith: +) }
    func sum(_ value: (SharingTally) -> Int) -> Double { Double(sides.reduce(0) { $0 + value($1) }) }
    var findings = [
      Finding(saves, Double(own.reduce(0) { $0 + $1.saves })), Finding(otherSaves, Double(other?.saves ?? 0)),
      Finding(lostUpdates, Double(result.lostUpdates)), Finding(lostRecords, Double(result.lostRecords)),
      Finding(staleReads, sum(\.staleReads)), Finding(Self.errors, Double(errors.values.reduce(0, +))),
    ]
    findings += errors.sorted { $0.key < $1.key }.map { Finding("\(Self.errors)_\($0.key)", Double($0.value)) }
    if sum(\.retries) > 0 { findings.append(Finding(retries, sum(\.retries))) }
    guard let waits = other?.waits, waits.count > 0 else { return findings }
    let quantiles = [(otherP50, waits.quantile(0.5)), (otherP99, waits.quantile(0.99)), (otherMost, waits.longest)]
    return findings + quantiles.compactMap { name, value in value.map { Finding(name, Double($0), .max) } }
  }
}
