import ArgumentParser
import Foundation
import StorageReport
import StorageRunFiles
import StorageTrial

/// `history`: what each commit changed in the committed counts.
struct HistoryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history", abstract: "Show what each commit changed in committed counts.",
    discussion: """
      The history is git's own, of the file that 'check' compares with: bytes, writes, syncs and allocations per \
      operation, before and after each commit that changed one. Commits that only moved the file are not followed.
      """)

  @Argument(help: ArgumentHelp("The committed counts.", valueName: "costs.csv"), completion: .file(extensions: ["csv"]))
  var file = "costs.csv"

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Formats, separated by commas: \(ReportFormats.ofHistories.map(\.id).joined(separator: ", ")) (none).",
      valueName: "format,..."), completion: .words(ReportFormats.ofHistories.map(\.id)))
  var format: String?

  @Option(
    name: [.customShort("o"), .customLong("out")],
    help: ArgumentHelp("Where the files of -f go (here).", valueName: "dir"), completion: .directory)
  var out: String?

  func run() throws {
    let formats = try format.map {
      try ReportFormats.named(Catalog.list($0, flag: "--format"), among: ReportFormats.ofHistories)
    }
    if let out { try OwnedDirectory.check(out, flag: OutputDirectory.flag) }
    let history = try CostHistory(path: file).read()
    // Nothing of it passes or fails, so that a CI system's own page and annotations stay those of the gate.
    try ReportOutput(formats: formats ?? [], directory: URL(fileURLWithPath: out ?? "."), environment: [:])
      .deliver(history)
  }
}
