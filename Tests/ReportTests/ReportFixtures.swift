import Foundation
@testable import TestSupport
import StorageContract
@testable import StorageReport
import StorageRunFiles

/// The directory of the package.
let packageRoot = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent()

/// Passes a new temporary directory to a body and removes it afterwards.
func withTemporaryDirectory<Result>(_ body: (URL) throws -> Result) throws -> Result {
  let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
  try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: directory) }
  return try body(directory)
}

extension URL {
  /// The text of a file in this directory.
  func text(_ name: String) throws -> String {
    try String(decoding: Data(contentsOf: appendingPathComponent(name)), as: UTF8.self)
  }
}

extension Plan {
  /// A plan of cells that all have the same level.
  init(of cells: [Cell], level: Level? = .intact, rounds: Int = 6) {
    self.init(rounds: rounds, cells: cells.map { PlannedCell(cell: $0, level: level, engineVersion: "e") })
  }
}

extension Trial {
  /// A timed trial whose operations all took the same time, in nanoseconds.
  static func uniform(_ cell: Cell, round: Int = 1, _ time: Double, operations: Int = 10) -> Trial {
    timed(
      cell, round: round,
      Timing(
        operations: operations, elapsed: Int64(Double(operations) * time), cpu: 1, min: Int64(time), max: Int64(time),
        p25: time, p50: time, histogram: HistogramText([(UInt64(time), UInt64(operations))]).text, clock: 25))
  }

  /// A trial with a timing.
  static func timed(_ cell: Cell, round: Int? = 1, _ timing: Timing) -> Trial {
    Trial(
      cell: cell, pass: .timed, round: round, position: 1, started: Double(round ?? 0), wall: 1, status: .ok,
      timing: timing)
  }

  /// A trial of the counting pass.
  static func counted(_ cell: Cell, operations: Int = 1, _ set: (inout Cost) -> Void) -> Trial {
    var cost = Cost(countedOperations: operations)
    set(&cost)
    return Trial(cell: cell, pass: .cost, started: 0, wall: 1, status: .ok, cost: cost)
  }
}

extension SummaryRow {
  /// A row whose rounds have these medians, in nanoseconds.
  init(
    _ cell: Cell, _ medians: [Double] = [], level: Level? = .intact, fidelity: Fidelity = .native,
    resolution: Double = 25
  ) {
    self.init(cell: cell, machine: "m", run: "r", level: level, engineVersion: "e", fidelity: fidelity, seed: 1)
    for (index, median) in medians.enumerated() {
      rounds[index + 1] = RoundTiming(typical: median, resolution: resolution)
    }
    processes = medians.count
  }
}

extension ReportModel {
  /// A model of rows without files.
  init(rows: [SummaryRow], plan: Plan = Plan(of: [])) {
    self.init(
      directory: RunDirectory(path: "results/r"), plan: plan, environment: SampleRun.environment, rows: rows,
      trials: rows.count)
  }

  /// A model of trials without files.
  init(plan: Plan, trials: [Trial], environment: MachineEnvironment = SampleRun.environment) {
    var builder = SummaryBuilder(plan: plan, machine: "m", run: "r")
    for trial in trials { builder.add(trial) }
    self.init(
      directory: RunDirectory(path: "results/r"), plan: plan, environment: environment, rows: builder.rows,
      trials: trials.count)
  }

  /// A model of the sample's six rounds and counts of every cell.
  init(sampling plan: Plan) {
    let trials = plan.cells.flatMap { planned in
      (1...6).map { SampleRun.timed(planned.cell, round: $0) } + [SampleRun.counted(planned.cell)]
    }
    self.init(plan: plan, trials: trials)
  }

  /// The document of the report.
  var document: Document { RunReport(self).document }

  /// A section of the report. Nil if the report has no such section.
  func section(_ id: String) -> Section? { document.sections.first { $0.id == id } }
}

extension SampleRun {
  /// A section of the report on a run. Nil if the report has no such section.
  static func section(_ id: String, plan: Plan, trials: [Trial]) throws -> Section? {
    try withModel(plan: plan, trials: trials) { model, _ in model.section(id) }
  }

  /// The plan and the trials of the sample without small saves.
  static var withoutSaves: (plan: Plan, trials: [Trial]) { cells { $0.workload.id != "save-one" } }

  /// The plan and the trials of some cells of the sample.
  static func cells(_ isIncluded: (Cell) -> Bool) -> (plan: Plan, trials: [Trial]) {
    var plan = plan
    plan.cells = plan.cells.filter { isIncluded($0.cell) }
    return (plan, trials.filter { isIncluded($0.cell) })
  }
}

extension Section {
  /// The sentences of all lists.
  var sentences: [String] { lists.flatMap(\.items).map(\.text) }
}

extension Table {
  /// The texts of the fields, row by row.
  var texts: [[String]] { rows.map { $0.map(\.words.text) } }
}

extension TerminalWriter {
  /// The words of a document on one line, with single blanks.
  static func words(_ document: Document) -> String {
    text(document).split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
