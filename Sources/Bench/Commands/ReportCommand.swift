import ArgumentParser
import Foundation
import StorageContract
import StorageReport
import StorageRunFiles
import StorageTrial

struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Write the reports of finished or interrupted runs again.",
    discussion: """
      Several runs are pooled: one report has the trials of all of them. They must share the same plan, build and \
      machine, and may differ only in --seed; other runs are refused (exit code 64). To compare different builds, use \
      'compare'.
      """)

  @Argument(
    help: ArgumentHelp(
      "Directories of runs (default: results/latest, the newest run that was started without -o).", valueName: "dir"),
    completion: .directory)
  var directories: [String] = []

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Formats, separated by commas: \(ReportFormats.all.map(\.id).joined(separator: ", ")) "
        + "(default: \(ReportFormats.usual.map(\.id).joined(separator: ", "))).",
      valueName: "format,..."), completion: .words(ReportFormats.all.map(\.id)), transform: Catalog.list)
  var format: [String]?

  @Option(
    name: [.customShort("o"), .customLong("out")],
    help: ArgumentHelp(
      "Directory of the files (default: the run's own; for several runs, a new one in results/).", valueName: "dir"),
    completion: .directory)
  var out: String?

  @Flag(
    help:
      """
      Limit Markdown to the recommendation and one table, for a README. One run without -o needs -f markdown alone: \
      the text is printed, and no file is changed. Else it becomes report.md, beside the other formats of -f.
      """
  )
  var short = false

  @Flag(name: .shortAndLong, help: "Print all tables.")
  var verbose = false

  func run() throws {
    let paths = directories.isEmpty ? ["results/latest"] : directories
    let formats = try format.map { try ReportFormats.named($0) } ?? ReportFormats.usual
    let isMarkdown = formats.contains { $0.id == "markdown" }
    guard !short || isMarkdown else {
      throw UsageError("--short is for Markdown; give -f markdown alone, or leave out --short")
    }
    let written = formats.map { short && $0.id == "markdown" ? .markdown(isShort: true) : $0 }
    let models = try paths.map { try ReportModel(reading: RunDirectory(path: $0)) }
    if models.count > 1 { return try pool(models, paths, written) }
    if short, out == nil {
      guard formats.count == 1 else {
        throw UsageError("--short prints Markdown only; give -f markdown alone, or a directory with -o")
      }
      return StandardOutput.write(MarkdownFormat.text(RunReport(models[0]).short))
    }
    let owned = try out.map { try claim($0) { RunDirectory(path: $0).isSame(as: models[0].directory) } }
    defer { withExtendedLifetime(owned) {} }
    try ReportOutput(
      formats: written, directory: owned.map { URL(fileURLWithPath: $0.path) } ?? models[0].directory.url
    )
    .deliver(RunReport(models[0]), isBrief: !verbose)
  }

  private func pool(_ models: [ReportModel], _ paths: [String], _ formats: [ReportFormat]) throws {
    for (index, model) in models.enumerated() {
      if let earlier = models[..<index].firstIndex(where: { $0.directory.isSame(as: model.directory) }) {
        throw UsageError("\(paths[earlier]) and \(paths[index]) are the same run; name each run once")
      }
      let runs = [models[0], model].map { (plan: $0.plan, environment: $0.environment) }
      if let (name, one, other) = RunCompatibility.differenceOfPools(runs[0], runs[1]) {
        throw UsageError(
          "\(paths[0]) and \(paths[index]) cannot be pooled: the \(name) is \(one) in one and \(other) in the other; "
            + "give runs of one plan and machine, or compare two of them with 'compare'")
      }
    }
    let owned = try out.map { try claim($0) { _ in false } } ?? OutputDirectory.claim(nil, kind: "-pooled")
    defer { withExtendedLifetime(owned) {} }
    let directory = RunDirectory(path: owned.path)
    try ReportOutput(formats: formats, directory: directory.url).deliver(
      RunReport(ReportModel(pooling: models, directory: directory)), isBrief: !verbose)
  }

  private func claim(_ out: String, isOwnRun: (String) -> Bool) throws -> OwnedDirectory {
    try .claim(out, flag: OutputDirectory.flag) { path, names in
      let isRun = names.contains(RunDirectory(path: path).planURL.lastPathComponent)
      guard !isRun || isOwnRun(path) else {
        throw UsageError("--out \(out) holds another run; give a new or an empty directory")
      }
      return isRun || ReportFormats.haveWritten(names, in: path)
    }
  }
}
