import ArgumentParser
import StorageContract
import StorageReport
import StorageRunFiles

/// The command `compare`, which compares the counts and times of two earlier benchmark runs.
struct CompareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare", abstract: "Compare two runs: judge the counts, and show the times.",
    discussion: """
      Both runs need the same --seed, --payload and --dataset; their machines may differ. A cell that only the base \
      has is an error (exit code 64); a cell that only the head has is listed. To judge times, use 'paired', which \
      measures both sides next to each other.

      bytes and syncs include the checkpoint and closing the store; the other counts, bytes_written and \
      syncs_acknowledged too, end with the last acknowledged save. file_bytes and inodes are those of the store at \
      the end.

      Exit codes: 0 no count has grown; 1 a cell of the head failed; 2 a count has grown, of those that \
      --max-increase can name; 3 something could not be judged.
      """)

  @Argument(help: ArgumentHelp("The run to compare with.", valueName: "base-dir"), completion: .directory)
  var base: String

  @Argument(help: ArgumentHelp("The run to judge.", valueName: "head-dir"), completion: .directory)
  var head: String

  @Option(
    help: ArgumentHelp(
      """
      Allow a count to grow, such as bytes=5: \(Measure.compared.map(\.name).joined(separator: ", ")) (default: 0%, \
      allocations 1%; 10% if counts do not repeat). May be repeated.
      """,
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
