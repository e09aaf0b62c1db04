import Foundation
import StorageContract
import StorageReport
import StorageRunFiles
import StorageStatistics

/// A run with known results: every backend's times and bytes follow a law, with noise.
struct SyntheticRun {
  struct Engine {
    var id: String
    var level: Level? = .intact
    var isWholeFile = false
    /// The nanoseconds of an operation as a function of N.
    var time: GrowthModel
    /// The bytes per operation as a function of N.
    var bytes = GrowthModel(constant: 12_000, coefficient: 0, exponent: 1)
  }

  /// The deviation of a trial's time from the law.
  enum Noise {
    /// By a normal deviate of this relative size.
    case normal(Double)
    /// By 4 %, and in every seventh trial by 20 to 100 % more, as on a shared machine.
    case bursts
  }

  var engines: [Engine]
  var sizes = [100, 1000, 10_000]
  var rounds = 6
  var workload = "save-one"
  var durability: Durability? = .shipped
  var noise = Noise.normal(0.03)
  var seed: UInt64 = 1
  /// The bytes of a store per record.
  var bytesPerRecord = 250

  var model: ReportModel {
    let (plan, trials) = run
    var builder = SummaryBuilder(plan: plan, machine: "m", run: "r")
    for trial in trials { builder.add(trial) }
    return ReportModel(
      directory: RunDirectory(path: "results/synthetic"), plan: plan, environment: SampleRun.environment,
      rows: builder.rows, trials: trials.count)
  }

  var run: (plan: Plan, trials: [Trial]) {
    var random = SplitMix64(seed: seed)
    let cells = sizes.flatMap { size in
      engines.map { engine in
        PlannedCell(
          cell: Cell(
            backend: Spec(verbatim: engine.id), workload: Spec(verbatim: workload), records: size,
            durability: durability),
          level: engine.level, engineVersion: "e", isWholeFile: engine.isWholeFile)
      }
    }
    var trials: [Trial] = []
    for round in 1...max(1, rounds) where rounds > 0 {
      let pace = 1 + 0.05 * sin(Double(round))
      for (index, planned) in cells.enumerated() {
        let law = engines[index % engines.count].time
        let time = law.predict(Double(planned.cell.records)) * pace * deviate(&random)
        trials.append(trial(planned.cell, round, time, &random))
      }
    }
    trials += cells.enumerated().map { index, planned in counted(planned.cell, engines[index % engines.count].bytes) }
    return (Plan(rounds: rounds, cells: cells), trials)
  }

  /// Returns a run with engines of every kind and level, some of them equally fast, with reads, at one required level.
  static func everyKind(noise: Noise, seed: UInt64) -> (plan: Plan, trials: [Trial]) {
    func law(_ constant: Double, _ coefficient: Double, _ exponent: Double = 1) -> GrowthModel {
      GrowthModel(constant: constant, coefficient: coefficient, exponent: exponent)
    }
    let whole = law(400, 250)
    let engines: [Engine] = [
      .init(id: "plist", isWholeFile: true, time: law(300_000, 2000), bytes: whole),
      .init(id: "archive", isWholeFile: true, time: law(0, 60_000, 1.05), bytes: whole),
      .init(id: "sqlite", time: law(0, 800_000, 0.01)), .init(id: "sqlite-queue", time: law(0, 810_000, 0.01)),
      .init(id: "lmdb", level: .durable, time: law(280_000, 2), bytes: law(4000, 0.4, 0.9)),
      .init(id: "defaults", level: .fragile, isWholeFile: true, time: law(0, 9000), bytes: whole),
      .init(id: "sqlite:journal=memory", level: .crash, time: law(300_000, 0)),
    ]
    let parts = [
      SyntheticRun(engines: engines, noise: noise, seed: seed).run,
      SyntheticRun(
        engines: engines.filter { $0.level == .intact || $0.level == .crash }.map { engine in
          var engine = engine
          engine.level = .durable
          return engine
        }, sizes: [10_000], durability: .durable, noise: noise, seed: seed + 100
      ).run,
      SyntheticRun(
        engines: engines.map { .init(id: $0.id, level: nil, time: law($0.time.predict(100) / 100, 0)) },
        sizes: [1000], workload: "read-one", durability: nil, noise: noise, seed: seed + 200
      ).run,
    ]
    return (Plan(rounds: 6, cells: parts.flatMap(\.plan.cells)), parts.flatMap(\.trials))
  }

  private func deviate(_ random: inout SplitMix64) -> Double {
    switch noise {
    case .normal(let size): return exp(size * random.normal())
    case .bursts:
      let burst = Double.random(in: 0..<1, using: &random) < 1.0 / 7
      return exp(0.04 * random.normal()) * (burst ? Double.random(in: 1.2...2, using: &random) : 1)
    }
  }

  private func trial(_ cell: Cell, _ round: Int, _ time: Double, _ random: inout SplitMix64) -> Trial {
    // Forty operations around the median of the trial.
    let operations = (0..<40).map { _ in time * exp(0.05 * random.normal()) }.sorted()
    var buckets: [(value: UInt64, count: UInt64)] = []
    for value in operations.map({ UInt64($0.rounded()) }) {
      if buckets.last?.value == value { buckets[buckets.count - 1].count += 1 } else { buckets.append((value, 1)) }
    }
    return Trial(
      cell: cell, pass: .timed, round: round, position: 1, started: Double(round), wall: 0.1, status: .ok,
      timing: Timing(
        operations: 40, elapsed: Int64(operations.reduce(0, +)), cpu: 1, min: Int64(operations[0]),
        max: Int64(operations[39]), p25: Quantile.value(0.25, of: operations) ?? 0,
        p50: Quantile.median(of: operations) ?? 0, histogram: HistogramText(buckets).text, clock: 25))
  }

  private func counted(_ cell: Cell, _ bytes: GrowthModel) -> Trial {
    var cost = Cost(countedOperations: 8)
    cost.bytesChanged = 8 * 108
    cost.bytesWritten = Int(bytes.predict(Double(cell.records))) * 8
    cost.bytesWrittenSettled = cost.bytesWritten
    cost.writeCalls = 8
    cost.syncs = 8
    cost.storedBytes = cell.records * 160
    cost.fileBytes = cell.records * bytesPerRecord
    return Trial(cell: cell, pass: .cost, started: 0, wall: 1, status: .ok, cost: cost)
  }
}
