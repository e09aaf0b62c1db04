import ArgumentParser
import Foundation
import StorageReport
import StorageRunFiles
import StorageTrial

/// The options `-f` (formats) and `-o` (directory) of the commands that compare, such as `paired` and `check`.
struct ComparisonOutputOptions: ParsableArguments {
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      """
      Formats besides the printed table: \(ReportFormats.ofComparisons.map(\.id).joined(separator: ", ")) (default: \
      none; for 'paired' and 'noise': markdown, json).
      """,
      valueName: "format,..."), completion: .words(ReportFormats.ofComparisons.map(\.id)),
    transform: Catalog.list)
  var format: [String]?

  @Option(
    name: [.customShort("o"), .customLong("out")],
    help: ArgumentHelp(
      """
      Directory for the files of --format (default: the current directory; for 'paired' and 'noise': a new one in \
      results/).
      """,
      valueName: "dir"),
    completion: .directory)
  var out: String?

  func formats() throws -> [ReportFormat]? {
    try format.map { try ReportFormats.named($0, among: ReportFormats.ofComparisons) }
  }

  /// Prints a comparison and writes its files. `usual` and `directory` are the defaults of the options `-f` and `-o`.
  func deliver(_ comparison: Comparison, usual: [ReportFormat] = [], directory: String = ".") throws {
    try ReportOutput(formats: formats() ?? usual, directory: URL(fileURLWithPath: out ?? directory)).deliver(comparison)
  }

  /// Prints a comparison and writes its files. Throws an `ExitCode` unless the comparison's status is
  /// ``ExitStatus/ok``.
  func conclude(_ comparison: Comparison) throws {
    try deliver(comparison)
    let status = comparison.status()
    if status != ExitStatus.ok { throw ExitCode(status) }
  }

  func check() throws {
    let formats = try formats() ?? []
    let directory = out ?? "."
    try OwnedDirectory.check(directory, flag: OutputDirectory.flag)
    // All comparisons have the same file names, so an empty comparison is enough to list them.
    let none = Comparison.Side(name: "")
    let empty = Comparison(subject: .rules, base: none, head: none, judgements: [])
    for format in formats {
      guard case .files = format.destination, let files = format.files else { continue }
      for file in try files(empty) {
        let url = URL(fileURLWithPath: directory).appendingPathComponent(file.name)
        try AtomicFile.isReplaceable(url, format.isOwn)
      }
    }
  }
}

extension Comparison {
  /// Returns the exit code for the comparison.
  ///
  /// - Parameter passesUnjudged: Whether an inconclusive comparison has the exit code 0 (success).
  func status(passesUnjudged: Bool = false) -> Int32 {
    switch result {
    case .failure: ExitStatus.failed
    case .regression: ExitStatus.regression
    case .notJudged: passesUnjudged ? ExitStatus.ok : ExitStatus.unjudged
    case .improvement, .fine: ExitStatus.ok
    }
  }
}
