import ArgumentParser
import Foundation
import StorageContract
import StorageReport
import StorageRunFiles
import StorageTrial

/// `-f` and `-o` of the commands that compare.
struct ComparisonOutputOptions: ParsableArguments {
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Formats, separated by commas: \(ReportFormats.ofComparisons.map(\.id).joined(separator: ", ")) (default: none; paired and noise: markdown, json).",
      valueName: "format,..."), completion: .words(ReportFormats.ofComparisons.map(\.id)),
    transform: Catalog.list)
  var format: [String]?

  @Option(
    name: [.customShort("o"), .customLong("out")],
    help: ArgumentHelp(
      "Directory of these files (default: the current one; paired and noise: a new one in results/).", valueName: "dir"),
    completion: .directory)
  var out: String?

  /// Returns the requested formats; nil without a request.
  func formats() throws -> [any ReportFormat]? {
    try format.map { try ReportFormats.named($0, among: ReportFormats.ofComparisons) }
  }

  /// Prints a comparison and writes its files.
  ///
  /// - Parameters:
  ///   - usual: The formats if none is requested.
  ///   - directory: The directory of the files without `-o`.
  func deliver(_ comparison: Comparison, usual: [any ReportFormat] = [], directory: String = ".") throws {
    try ReportOutput(formats: formats() ?? usual, directory: URL(fileURLWithPath: out ?? directory)).deliver(comparison)
  }

  /// Checks, before anything runs, that the requested output can be written.
  func check() throws {
    _ = try formats()
    try OwnedDirectory.check(out ?? ".", flag: OutputDirectory.flag)
  }
}

extension Comparison {
  /// Returns the exit code of a gate.
  ///
  /// - Parameter passesUnjudged: Whether too few judged cells are only a warning.
  func status(passesUnjudged: Bool = false) -> Int32 {
    switch result {
    case .failure: ExitStatus.failed
    case .regression: ExitStatus.regression
    case .notJudged: passesUnjudged ? ExitStatus.ok : ExitStatus.unjudged
    case .improvement, .fine: ExitStatus.ok
    }
  }
}
