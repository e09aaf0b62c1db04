import StorageContract

/// A search for a simpler crash-test case with the same verdict as a failed one. A simpler case makes fewer saves, or
/// the fault occurs earlier.
final class CrashShrinking {
  private let fault: any CrashFault.Type
  private let trials: CrashTrials
  private var rehearsals: [[Int]: Rehearsal] = [:]
  private var budget = 40

  init(_ fault: any CrashFault.Type, _ trials: CrashTrials) { (self.fault, self.trials) = (fault, trials) }

  func smallest(_ finding: CrashFinding) throws -> CrashFinding {
    if let own = try fault.smallest(finding, trials) { return own }
    guard fault.isRepeatable(finding.crashCase), let position = try? finding.crashCase.position() else {
      return finding
    }
    let fewer = try Self.candidates(position, trials.allSaves).firstResult { try first($0, position, finding) }
    return try earlier(withoutSingles(fewer ?? finding, position))
  }

  func point(_ crashCase: CrashCase) throws -> Rehearsal.Point? {
    guard let position = try? crashCase.position(), let number = try? crashCase.number("call") else { return nil }
    return try rehearsal(trials.saves(crashCase)).points.first { $0.position == position && $0.number == number }
  }

  /// Returns lists of saves to try instead of all saves, the shortest list first. If the fault occurs in a save, each
  /// list contains that save.
  private static func candidates(_ position: SavePosition, _ all: [Int]) -> [[Int]] {
    guard case .save(let number) = position else { return [[]] + all.prefix(2).map { [$0] } + [Array(all.prefix(2))] }
    let others = all.filter { $0 != number }.sorted { (abs($0 - number), $0) < (abs($1 - number), $1) }
    return [[number]] + others.prefix(4).map { [$0, number].sorted() }
  }

  private func withoutSingles(_ finding: CrashFinding, _ position: SavePosition) throws -> CrashFinding {
    var best = finding
    for save in try trials.saves(finding.crashCase) where .save(save) != position {
      let fewer = try trials.saves(best.crashCase).filter { $0 != save }
      if let found = try first(fewer, position, best) { best = found }
    }
    return best
  }

  private func earlier(_ finding: CrashFinding) throws -> CrashFinding {
    guard let call = try? finding.crashCase.number("call"), call > 1 else { return finding }
    return try (1..<call).firstResult { try shows(finding.crashCase.with("call", $0), finding) } ?? finding
  }

  private func first(_ saves: [Int], _ position: SavePosition, _ finding: CrashFinding) throws -> CrashFinding? {
    let crashCase = finding.crashCase.making(saves)
    guard let call = try? crashCase.number("call") else { return try shows(crashCase, finding) }
    guard budget > 0 else { return nil }
    let known = try rehearsal(saves)
    let calls = known.points.filter { $0.position == position }.map(\.number)
    let nearest = calls.sorted { (abs($0 - call), $0) < (abs($1 - call), $1) }
    return try nearest.prefix(6).firstResult { try shows(crashCase.with("call", $0), finding) }
  }

  private func shows(_ crashCase: CrashCase, _ finding: CrashFinding) throws -> CrashFinding? {
    guard budget > 0 else { return nil }
    budget -= 1
    guard let found = try fault.findings([crashCase], trials, progress: { _ in }).first ?? nil else { return nil }
    return found.verdict == finding.verdict && found.isBroken == finding.isBroken ? found : nil
  }

  private func rehearsal(_ saves: [Int]) throws -> Rehearsal {
    if let known = rehearsals[saves] { return known }
    let (rehearsal, outcome) = try trials.rehearse(saves)
    trials.discard(outcome)
    rehearsals[saves] = rehearsal
    return rehearsal
  }
}

extension Sequence {
  /// Returns the first result of `body` that is not nil. Does not call `body` with the elements after it.
  fileprivate func firstResult<Found>(_ body: (Element) throws -> Found?) rethrows -> Found? {
    for element in self {
      if let found = try body(element) { return found }
    }
    return nil
  }
}
