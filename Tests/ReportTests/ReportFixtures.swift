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

/// Returns the sentence that refuses a run, nil if it is read and its report is written.
func refusal(_ url: URL) throws -> String? {
  do {
    let model = try ReportModel(reading: RunDirectory(url: url))
    try model.write(formats: ReportFormats.usual)
    return nil
  } catch let error as UsageError {
    return error.description
  }
}

/// Returns the path of the first of these programs that is in PATH. Nil if none is installed.
func installedProgram(_ names: String...) -> String? {
  let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
  return names.lazy.flatMap { name in folders.map { "\($0)/\(name)" } }
    .first { FileManager.default.isExecutableFile(atPath: $0) }
}

/// Returns a changed copy of a value.
func changed<Value>(_ value: Value, _ change: (inout Value) -> Void) -> Value {
  var value = value
  change(&value)
  return value
}

extension URL {
  /// The text of a file in this directory.
  func text(_ name: String) throws -> String {
    try String(decoding: Data(contentsOf: appendingPathComponent(name)), as: UTF8.self)
  }
}

extension Cell {
  /// A cell by the names of its backend and its workload, with their options.
  init(
    _ backend: String, _ workload: String = "save-one", records: Int = 10_000, durability: Durability? = .shipped,
    recordBytes: Int = 100, threads: Int = 1, aged: Int = 0, memory: Int? = nil
  ) {
    self.init(
      backend: Spec(verbatim: backend), workload: Spec(verbatim: workload), records: records, recordBytes: recordBytes,
      durability: durability, threads: threads, aged: aged, memory: memory)
  }
}

extension Plan {
  /// A plan of cells, in which all saves have the same level.
  init(of cells: [Cell], level: Level? = .intact, rounds: Int = 6) {
    self.init(
      rounds: rounds,
      cells: cells.map { PlannedCell(cell: $0, level: $0.durability == nil ? nil : level, engineVersion: "e") })
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
  static func timed(_ cell: Cell, round: Int = 1, _ timing: Timing) -> Trial {
    Trial(
      cell: cell, pass: .timed, round: round, position: 1, started: Double(round), wall: 1, status: .ok, timing: timing)
  }

  /// A trial of the counting pass.
  static func counted(_ cell: Cell, operations: Int = 1, _ set: (inout Cost) -> Void) -> Trial {
    let cost = changed(Cost(countedOperations: operations), set)
    return Trial(cell: cell, pass: .cost, started: 0, wall: 1, status: .ok, cost: cost)
  }

  /// Returns the trial with a changed timing. A trial without one stays as it is.
  func withTiming(_ change: (inout Timing) -> Void) -> Trial {
    changed(self) { $0.timing = $0.timing.map { changed($0, change) } }
  }
}

extension SummaryRow {
  /// A row whose rounds have these medians, in nanoseconds.
  init(_ cell: Cell, _ medians: [Double] = [], level: Level? = .intact, fidelity: Fidelity = .native) {
    self.init(cell: cell, machine: "m", run: "r", level: level, engineVersion: "e", fidelity: fidelity, seed: 1)
    for (index, median) in medians.enumerated() { rounds[index + 1] = RoundTiming(typical: median, resolution: 25) }
    processes = medians.count
  }

  /// Returns the row with the counts of this many operations.
  func counting(_ operations: Int = 1, _ set: (inout Cost) -> Void) -> SummaryRow {
    changed(self) { $0.cost = changed(Cost(countedOperations: operations), set) }
  }
}

extension ReportModel {
  /// A model of rows without files.
  init(rows: [SummaryRow], plan: Plan = Plan(of: []), environment: MachineEnvironment = SampleRun.environment) {
    self.init(
      directory: RunDirectory(path: "results/r"), plan: plan, environment: environment, rows: rows, trials: rows.count)
  }

  /// A model of trials without files.
  init(plan: Plan, trials: [Trial], environment: MachineEnvironment = SampleRun.environment) {
    var builder = SummaryBuilder(plan: plan, machine: "m", run: "r")
    for trial in trials { builder.add(trial) }
    self.init(
      directory: RunDirectory(path: "results/r"), plan: plan, environment: environment, rows: builder.rows,
      trials: trials.count)
  }

  /// A model of the sample's rounds and counts of every cell.
  init(sampling plan: Plan, environment: MachineEnvironment = SampleRun.environment) {
    let trials = plan.cells.flatMap { planned in
      (0..<plan.rounds).map { SampleRun.timed(planned.cell, round: $0 + 1) } + [SampleRun.counted(planned.cell)]
    }
    self.init(plan: plan, trials: trials, environment: environment)
  }

  /// The document of the report.
  var document: Document { RunReport(self).document }

  /// A section of the report. Nil if the report has no such section.
  func section(_ id: String) -> Section? { document.sections.first { $0.id == id } }
}

extension SampleRun {
  /// The model of a run that was written and read. Its files are removed.
  static func model(plan: Plan = plan, trials: [Trial] = trials) throws -> ReportModel {
    try withModel(plan: plan, trials: trials) { model, _ in model }
  }

  /// A section of the report on a run. Nil if the report has no such section.
  static func section(_ id: String, plan: Plan, trials: [Trial]) throws -> Section? {
    try model(plan: plan, trials: trials).section(id)
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
