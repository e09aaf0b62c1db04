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
      Several runs of one plan on one machine are pooled into one report: only their seeds and times may differ. With \
      --history each keeps its own report, which shows how counts changed over the runs, in the order in which they are \
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
      "Where the files go (a run's own directory; of several, a new one in results).", valueName: "dir"),
    completion: .directory)
  var out: String?

  @Flag(help: "Write the Markdown in ten lines or so, for a README or a message; with -f markdown.")
  var short = false

  @Flag(help: "Show in each run's report how the counts changed over all of them, for runs of different builds.")
  var history = false

  func run() throws {
    let paths = directories.isEmpty ? ["results/latest"] : directories
    let formats = try format.map { try ReportFormats.named($0) } ?? ReportFormats.usual
    let isMarkdown = formats.contains { $0 is MarkdownFormat }
    guard !short || isMarkdown else { throw UsageError("--short is for Markdown; add -f markdown, or leave it out") }
    let written = formats.map { short && $0 is MarkdownFormat ? MarkdownFormat(isShort: true) : $0 }
    let models = try paths.map { try ReportModel(reading: RunDirectory(path: $0)) }
    guard models.count > 1 else {
      guard !history else { throw UsageError("--history compares several runs; name more than one, or leave it out") }
      return try write(models, written)
    }
    guard history else { return try pool(models, paths, written) }
    guard out == nil else {
      throw UsageError(
        "--out would take the reports of \(models.count) runs of the same names; leave it out, or leave out --history")
    }
    try write(ReportModel.together(models), written)
  }

  /// Writes each run's report, into its own directory or that of `--out`.
  private func write(_ models: [ReportModel], _ formats: [any ReportFormat]) throws {
    let owned = try out.map { try claim($0) { RunDirectory(path: $0).isSame(as: models[0].directory) } }
    defer { withExtendedLifetime(owned) {} }
    for model in models {
      try ReportOutput(formats: formats, directory: owned.map { URL(fileURLWithPath: $0.path) } ?? model.directory.url)
        .deliver(RunReport(model))
    }
  }

  /// Writes one report of all runs, into the directory of `--out` or a new one.
  private func pool(_ models: [ReportModel], _ paths: [String], _ formats: [any ReportFormat]) throws {
    for (index, model) in models.enumerated() {
      if let earlier = models[..<index].firstIndex(where: { $0.directory.isSame(as: model.directory) }) {
        throw UsageError("\(paths[earlier]) and \(paths[index]) are one run; name each run once")
      }
      let runs = [models[0], model].map { (plan: $0.plan, environment: $0.environment) }
      if let (name, one, other) = RunCompatibility.differenceOfPools(runs[0], runs[1]) {
        throw UsageError(
          "\(paths[0]) and \(paths[index]) cannot be pooled: the \(name) is \(one) in one and \(other) in the other; "
            + "give runs of one plan and machine, or --history")
      }
    }
    let owned = try out.map { try claim($0) { _ in false } } ?? OutputDirectory.claim(nil, kind: "-pooled")
    defer { withExtendedLifetime(owned) {} }
    let directory = RunDirectory(path: owned.path)
    try ReportOutput(formats: formats, directory: directory.url).deliver(
      RunReport(ReportModel(pooling: models, directory: directory)))
  }

  private func claim(_ out: String, isOwnRun: (String) -> Bool) throws -> OwnedDirectory {
    try OutputDirectory.claim(out) { path, names in
      let isRun = names.contains(RunDirectory(path: path).planURL.lastPathComponent)
      guard !isRun || isOwnRun(path) else {
        throw UsageError("--out \(out) holds another run; give a new or an empty directory")
      }
      return isRun || ReportFormats.haveWritten(names, in: path)
    }
  }
}
