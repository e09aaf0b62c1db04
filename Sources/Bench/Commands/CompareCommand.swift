import ArgumentParser
import StorageContract
import StorageReport
import StorageRunFiles

/// `compare`: compares two existing runs.
struct CompareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare", abstract: "Compare two runs: counts are judged, times are advice.",
    discussion: """
      Both runs must have been made from the same seed and records. A cell that the head lacks is an error, one that \
      only the head has is named. To judge times, use 'paired', which runs both sides next to each other.

      Exit codes: 0 nothing more is written, synced or allocated; 2 something is; 3 something could not be judged.
      """)

  @Argument(help: ArgumentHelp("The run to compare with.", valueName: "base-dir"), completion: .directory)
  var base: String

  @Argument(help: ArgumentHelp("The run to judge.", valueName: "head-dir"), completion: .directory)
  var head: String

  @Option(
    help: ArgumentHelp(
      "Let a count grow: \(Measure.compared.map(\.name).joined(separator: ", ")) (0; allocations 1).",
      valueName: "metric=percent"))
  var maxIncrease: [String] = []

  @OptionGroup var output: ComparisonOutputOptions

  func run() throws {
    try output.check()
    let tolerances = try Tolerances(maxIncrease, metrics: Measure.compared)
    let comparison = try RunsComparison(
      base: ReportModel(reading: RunDirectory(path: base)), head: ReportModel(reading: RunDirectory(path: head)),
      tolerances: tolerances
    ).comparison()
    try output.deliver(comparison)
    let status = comparison.status()
    if status != ExitStatus.ok { throw ExitCode(status) }
  }
}
