import Foundation
import StorageContract
import StorageStatistics
import StorageWorkloads

/// A count of the false alarms of the gate. The study resamples runs of a build against itself from recorded pairs,
/// with arguments `TIMES SEED DIR...`.
///
/// The base of each pair is also chosen at random, since both sides are the same. Pairs are drawn with replacement.
/// The verdicts are those of the suite.
struct GateResampling: Study {
  static let name = "gate-resampling"

  static func run(_ arguments: [String]) throws -> Int32 {
    guard arguments.count >= 3, let times = Int(arguments[0]), times > 0, let seed = UInt64(arguments[1]) else {
      throw UsageError("give TIMES SEED DIR...")
    }
    var draws = try arguments.dropFirst(2).map { Resampling(run: try RecordedRun($0), random: RandomStream(seed: 0)) }
    for index in draws.indices { draws[index].random = RandomStream(seed: seed, .order, index) }
    var tally = Tally()
    for time in 0..<times {
      draws[time % draws.count].judge(&tally)
      if (time + 1).isMultiple(of: 1_000) {
        FileHandle.standardError.write(Data("\(time + 1) of \(times) runs drawn\n".utf8))
      }
    }
    let codes = tally.codes.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
    let share = (1_000 * Double(tally.judged) / Double(max(1, tally.cells))).rounded() / 10
    print(
      "\(times) runs drawn from \(draws.count) recorded: exit codes \(codes); \(share) % of \(tally.cells) cells judged; "
        + "wrongly slower \(tally.slower), wrongly faster \(tally.faster)")
    return 0
  }
}

/// The results of the resampled runs.
private struct Tally {
  var codes: [Int: Int] = [:]
  var cells = 0
  var judged = 0
  var slower = 0
  var faster = 0
}

/// A resampling of runs from a recorded one.
private struct Resampling {
  let run: RecordedRun
  var random: RandomStream

  /// Draws pairs of a cell.
  private mutating func draw(_ cell: RecordedRun.Recorded, _ count: Int) -> [(base: Double, head: Double)] {
    (0..<count).map { _ in
      let pair = cell.pairs[Int.random(in: 0..<cell.pairs.count, using: &random)]
      return Bool.random(using: &random) ? pair : (base: pair.head, head: pair.base)
    }
  }

  /// Judges a resampled run, as `paired` does on a fit machine.
  mutating func judge(_ tally: inout Tally) {
    let cells = run.cells
    var budget = FurtherPairs(firstStage: cells.reduce(0) { $0 + $1.rounds })
    func stage(_ pairs: [(base: Double, head: Double)], _ cell: RecordedRun.Recorded) -> PairedStage? {
      PairedStage(pairs: pairs, margin: RowVerdict.margin, resolution: cell.resolution)
    }
    var pairs = cells.map { draw($0, $0.rounds) }
    var isLengthened = Array(repeating: false, count: cells.count)
    for (index, cell) in cells.enumerated() {
      guard let first = stage(pairs[index], cell) else { continue }
      let further = budget.further(first, of: cell.rounds)
      pairs[index] += draw(cell, further)
      isLengthened[index] = further > 0
    }
    var verdicts: [ChangeVerdict] = []
    for (index, cell) in cells.enumerated() {
      guard let first = stage(pairs[index], cell) else { continue }
      var second: PairedStage?
      if PairedVerdict.isSuspect(first) {
        let count = budget.confirming(first, of: pairs[index].count, isLengthened: isLengthened[index])
        second = stage(draw(cell, count), cell)
      }
      verdicts.append(PairedVerdict(first: first, second: second).verdict)
    }
    let coverage = Coverage(zip(cells, verdicts).map { ($0.groups, $1.result != .notJudged) })
    let code =
      switch GateResult(of: verdicts, coverage: coverage) {
      case .failure: 1
      case .regression: 2
      case .notJudged: 3
      case .improvement, .fine: 0
      }
    tally.codes[code, default: 0] += 1
    tally.cells += coverage.cells
    tally.judged += coverage.judged
    tally.slower += verdicts.count { $0 == .slower }
    tally.faster += verdicts.count { $0 == .faster }
  }
}
