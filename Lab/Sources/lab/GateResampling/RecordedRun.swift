import Foundation
import StorageContract
import StorageReport
import StorageRunFiles
import StorageStatistics

/// A recorded `paired` run of a build against itself, with the pairs of every cell.
struct RecordedRun {
  /// One cell.
  struct Recorded {
    /// The groups of the cell, see `Coverage`.
    let groups: [String]
    /// The times of both sides of every pair, in nanoseconds, as the gate compares them.
    let pairs: [(base: Double, head: Double)]
    /// The number of pairs in a first series.
    let rounds: Int
    /// The difference in nanoseconds that the timer alone can cause.
    let resolution: Double
  }

  let cells: [Recorded]

  /// Reads the directory of a run.
  ///
  /// - Throws: `UsageError` if the directory is not a paired run, or has no pairs.
  init(_ path: String) throws {
    let url = URL(fileURLWithPath: "\(path)/comparison.json")
    guard let data = try? Data(contentsOf: url),
      let method = try? JSONDecoder().decode(Comparison.self, from: data).method
    else { throw UsageError("\(url.path) is no comparison of pairs; give the directory of a paired run") }
    let (base, head) = (RunDirectory(path: "\(path)/base"), RunDirectory(path: "\(path)/head"))
    let rows = try ReportModel(reading: base).rows + ReportModel(reading: head).rows
    let syncing = Set(rows.filter { ($0.perOperation(\.syncs) ?? 0) >= 0.5 }.map(\.cell))
    let (before, now) = try (Self.timings(base), Self.timings(head))
    cells = before.sorted { $0.key.name < $1.key.name }.compactMap { cell, rounds in
      let timings = rounds.sorted { $0.key < $1.key }.compactMap { round, timing in
        now[cell]?[round].map { (timing, $0) }
      }
      guard timings.count >= MedianInterval.fewestValues else { return nil }
      let isMixed = timings.contains { $0.isBatched != $1.isBatched }
      return Recorded(
        groups: ["backend \(cell.backend)", "workload \(cell.workload)"],
        pairs: timings.map { isMixed ? ($0.mean, $1.mean) : ($0.p25, $1.p25) },
        rounds: syncing.contains(cell) ? method.syncingRounds : method.rounds,
        resolution: timings.flatMap { [$0, $1] }.map { $0.isBatched ? 2 : $0.clock }.max() ?? 0)
    }
    guard !cells.isEmpty else { throw UsageError("\(path) has no pairs; give the directory of a paired run") }
  }

  private static func timings(_ directory: RunDirectory) throws -> [Cell: [Int: Timing]] {
    var timings: [Cell: [Int: Timing]] = [:]
    _ = try directory.trials.forEach { trial in
      guard let round = trial.round, trial.status == .ok, let timing = trial.timing else { return }
      timings[trial.cell, default: [:]][round] = timing
    }
    return timings
  }
}
