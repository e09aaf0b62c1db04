import ArgumentParser
import Foundation
import StorageContract
import StorageReport
import StorageRunFiles

/// `-f` and `-o` of the commands that compare.
struct ComparisonOutputOptions: ParsableArguments {
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Formats, separated by commas: \(ComparisonFormats.all.map(\.id).joined(separator: ", ")) (none).",
      valueName: "format,..."))
  var format: String?

  @Option(
    name: [.customShort("o"), .customLong("out")],
    help: ArgumentHelp("Where the files of -f go (here).", valueName: "dir"))
  var out: String?

  /// The formats asked for.
  func formats() throws -> [any ComparisonFormat] {
    try format.map { try ComparisonFormats.named(Catalog.list($0, flag: "--format")) } ?? []
  }

  /// Sees, before anything is run, that what is asked for can be written.
  func check() throws {
    _ = try formats()
    if let out { try OutputDirectory.check(out, flag: "--out") }
  }
}

/// Prints a comparison and writes its files.
struct ComparisonOutput {
  let options: ComparisonOutputOptions
  /// Formats that are written even if none is asked for.
  var usual: [any ComparisonFormat] = []
  /// Where files go unless `-o` says otherwise.
  var directory = "."
  var environment = ProcessInfo.processInfo.environment

  /// Delivers it: the terminal's text, the files asked for and, in GitHub Actions, the job's page and annotations
  /// without being asked.
  func deliver(_ comparison: Comparison) throws {
    var formats = try options.format == nil ? usual : options.formats()
    let ids = Set(formats.map(\.id))
    if environment["GITHUB_STEP_SUMMARY"]?.isEmpty == false, !ids.contains("github-summary") {
      formats.append(GitHubSummary())
    }
    if environment["GITHUB_ACTIONS"] == "true", !ids.contains("github-annotations") {
      formats.append(GitHubAnnotations())
    }
    let out = options.out ?? directory
    var written: [String] = []
    var commands = ""
    for format in formats {
      for (name, text) in try format.files(comparison) {
        switch format.destination {
        case .standardOutput: commands += text
        case .appended(let variable):
          if let path = environment[variable], !path.isEmpty {
            try append(text, to: path)
          } else {
            written.append(try write(text, name, out))
          }
        case .files: written.append(try write(text, name, out))
        }
      }
    }
    StandardOutput.write(TerminalComparison.text(comparison, paths: written))
    StandardOutput.write(commands)
  }

  private func write(_ text: String, _ name: String, _ directory: String) throws -> String {
    try OutputDirectory.create(directory)
    let url = URL(fileURLWithPath: "\(directory)/\(name)")
    do {
      try AtomicFile.write(text, to: url)
    } catch let error as FileWriteError {
      throw ExitStatus.Failure(ExitStatus.ioError, "\(error.description); check the directory and the space left")
    }
    return RunReport.named([url])[0].path
  }

  private func append(_ text: String, to path: String) throws {
    if !FileManager.default.fileExists(atPath: path) {
      _ = FileManager.default.createFile(atPath: path, contents: nil)
    }
    guard let handle = FileHandle(forWritingAtPath: path) else {
      throw ExitStatus.Failure(ExitStatus.ioError, "cannot write \(path), which the environment names; check it")
    }
    try handle.seekToEnd()
    try handle.write(contentsOf: Data(text.utf8))
    try handle.close()
  }
}

extension Comparison {
  /// The exit code that a gate ends with.
  ///
  /// - Parameter passesUnjudged: Whether it is only a warning that too little could be judged.
  func status(passesUnjudged: Bool = false) -> Int32 {
    switch result {
    case .failure: ExitStatus.failed
    case .regression: ExitStatus.regression
    case .notJudged: passesUnjudged ? ExitStatus.ok : ExitStatus.unjudged
    case .improvement, .fine: ExitStatus.ok
    }
  }
}
