import ArgumentParser
import StorageReport
import StorageRunFiles

struct CompareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare", abstract: "Compare two runs: judge the counts, and show the times.",
    discussion: """
      Both runs need the same --seed, --payload and --dataset; their machines may differ. The head, the run to judge, \
      must have every cell of the base, or compare ends with exit code 64: measure the same cells in both. Cells that \
      only the head has are listed. To judge times, use 'paired', which measures both sides next to each other.

      Some counts have other names in rules of 'check', and some include the checkpoint and the closing of the store:
        name here           in a rule              checkpoint and closing
        bytes               bytes_written_settled  included
        bytes_written       bytes_written          not included
        syncs               syncs_settled          included
        syncs_acknowledged  syncs                  not included
        writes              write_calls            not included

      All other counts stop when the last save has returned, except file_bytes and inodes (those of the closed store).

      Exit codes: 0 no count has grown; 1 a cell of the head failed; 2 a count that --max-increase can name has grown \
      by more than it allows; 3 something could not be judged.
      """)

  @Argument(help: ArgumentHelp("The run to compare with.", valueName: "base-dir"), completion: .directory)
  var base: String

  @Argument(help: ArgumentHelp("The run to judge.", valueName: "head-dir"), completion: .directory)
  var head: String

  @Option(help: Tolerances.help(Measure.compared))
  var maxIncrease: [String] = []

  @OptionGroup var output: ComparisonOutputOptions

  func run() throws {
    try output.check()
    let tolerances = try Tolerances(maxIncrease, metrics: Measure.compared)
    let comparison = try RunsComparison(
      base: ReportModel(reading: RunDirectory(path: base)), head: ReportModel(reading: RunDirectory(path: head)),
      tolerances: tolerances
    ).comparison()
    try output.conclude(comparison)
  }
}
