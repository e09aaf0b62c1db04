import ArgumentParser
import Foundation
import StorageContract
import StorageReport
import StorageRunFiles
import StorageTrial

/// `report`: makes a run's derived files again, from its trials.
struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Write the reports of finished or interrupted runs again.",
    discussion: """
      Several runs of one plan show in each other's reports how their counts changed, in the order in which they are \
      given.
      """)

  @Argument(help: ArgumentHelp("Directories of runs (results/latest).", valueName: "dir"), completion: .directory)
  var directories: [String] = []

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Formats, separated by commas: \(ReportFormats.all.map(\.id).joined(separator: ", ")) "
        + "(\(ReportFormats.usual.map(\.id).joined(separator: ", "))).",
      valueName: "format,..."), completion: .words(ReportFormats.all.map(\.id)), transform: Catalog.list)
  var format: [String]?

  @Option(
    name: [.customShort("o"), .customLong("out")],
    help: ArgumentHelp(
      "Where the files go (each run's own directory).", valueName: "dir"), completion: .directory)
  var out: String?

  @Flag(help: "Write the Markdown in ten lines or so, for a README or a message; with -f markdown.")
  var short = false

  func run() throws {
    let paths = directories.isEmpty ? ["results/latest"] : directories
    let formats = try format.map { try ReportFormats.named($0) } ?? ReportFormats.usual
    let isMarkdown = formats.contains { $0 is MarkdownFormat }
    guard !short || isMarkdown else { throw UsageError("--short is for Markdown; add -f markdown, or leave it out") }
    let written = formats.map { short && $0 is MarkdownFormat ? MarkdownFormat(isShort: true) : $0 }
    let models = ReportModel.together(try paths.map { try ReportModel(reading: RunDirectory(path: $0)) })
    guard out == nil || models.count == 1 else {
      throw UsageError(
        "--out would take the reports of \(models.count) runs of the same names; give one run, or no --out")
    }
    let owned = try out.map { out in
      try OutputDirectory.claim(out) { path, names in
        let isRun = names.contains(RunDirectory(path: path).planURL.lastPathComponent)
        guard !isRun || RunDirectory(path: path).isSame(as: models[0].directory) else {
          throw UsageError("--out \(out) holds another run; give a new or an empty directory")
        }
        return isRun || ReportFormats.haveWritten(names, in: path)
      }
    }
    defer { withExtendedLifetime(owned) {} }
    for model in models {
      try ReportOutput(formats: written, directory: owned.map { URL(fileURLWithPath: $0.path) } ?? model.directory.url)
        .deliver(RunReport(model))
    }
  }
}
