import ArgumentParser
import Foundation
import StorageRunFiles
import StorageStatistics
import StorageTrial

struct NoiseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "noise",
    abstract: "Find the smallest change that 'paired' can detect on this machine.",
    discussion: """
      Without --base and --head, this build of storage-bench is compared with itself; for each cell, noise shows the \
      smallest change that 'paired' would detect with the default margin. With two builds of the same source, it shows \
      how much their times differ although the code is the same. For each cell whose times differ, it prints a \
      --margin to give to 'paired': 5 % plus the difference, such as 9%@'CELL' for a difference of 4 %.

      Without -b, the default backends (see there) are measured. Without -w and -n, the cells are those of the profile \
      'quick'. With -w or -n, the defaults are the workload save-one, 1000 records and the level shipped.

      Exit codes: 0 done; 1 a cell failed; 3 the machine was not quiet.
      """)

  @Option(help: ArgumentHelp("A storage-bench executable.", valueName: "exe"), completion: .file())
  var base: String?

  @Option(help: ArgumentHelp("Another build of the same source.", valueName: "exe"), completion: .file())
  var head: String?

  @OptionGroup var cells: CellOptions
  @OptionGroup var output: ComparisonOutputOptions

  @Flag(help: "Measure even if this storage-bench, or the one of --base or --head, is a debug build.")
  var allowDebug = false

  mutating func run() async throws {
    try output.check()
    var setup = try PairedSetup(cells, out: output.out)
    (setup.subject, setup.plan.confirms, setup.plan.controls) = (.noise, false, 0)
    try DebugBuild.refuse(unless: allowDebug)
    if base != nil || head != nil { try await setup.takeBuilds(base, head, allowsDebug: allowDebug) }
    let (comparison, directory) = try await setup.run(observer: ProgressDisplay(isQuiet: false))
    try output.deliver(comparison, usual: [.markdown(), .json], directory: directory.path)
    if !comparison.judgements(GateResult.failure).isEmpty { throw ExitCode(ExitStatus.failed) }
    if comparison.method?.unfit != nil { throw ExitCode(ExitStatus.unjudged) }
  }
}
