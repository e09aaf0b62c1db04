import ArgumentParser
import Foundation
import StorageReport
import StorageRunFiles

struct MergeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge", abstract: "Join the runs of 'run --shard I/N' into one.",
    discussion: """
      The runs must be shards of one plan, and no cell may be in two of them. They may come from different machines. \
      The reports of the merged run then compare counts across all of them, times only within each machine; a warning \
      says if engine versions, page sizes or processor architectures differ. If a shard is missing or unfinished, the \
      others are merged, a warning names what is missing, and the exit code is 3.
      """)

  @Argument(help: ArgumentHelp("The directories of the shards.", valueName: "dir"), completion: .directory)
  var directories: [String]

  @Option(
    name: [.customShort("o"), .customLong("out")],
    help: ArgumentHelp("Directory of the merged run: new or empty.", valueName: "dir"), completion: .directory)
  var out: String

  func run() throws {
    let merged = try MergedRun(directories.map(RunDirectory.init(path:)))
    let owned = try OutputDirectory.claim(out)
    // No other process can claim the directory until the reports are written.
    defer { withExtendedLifetime(owned) {} }
    let target = RunDirectory(path: owned.path)
    let wanting = try attempt {
      try merged.write(to: target)
    } undo: {
      target.withdraw()
      owned.removeIfEmpty()
    }
    for note in wanting { StandardError.say("warning: \(note)") }
    let model = try ReportModel(reading: target)
    try ReportOutput(formats: ReportFormats.usual, directory: model.directory.url).deliver(
      RunReport(model), isBrief: true)
    if !model.rows(.failed).isEmpty { throw ExitCode(ExitStatus.failed) }
    // This exit code shows a scheduler that a shard must be resumed.
    if !wanting.isEmpty { throw ExitCode(ExitStatus.unjudged) }
  }
}
