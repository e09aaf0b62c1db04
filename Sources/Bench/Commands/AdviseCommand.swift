import ArgumentParser
import Foundation
import StorageContract
import StorageReport
import StorageRunFiles
import StorageTrial

struct AdviseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "advise", abstract: "Recommend a backend for an app, from the figures of a run.",
    discussion: """
      A backend is fast enough if one save and its --reads-per-save reads take at most one frame (16.7 ms), and a \
      launch at most --launch-budget (default: 100 ms). For each safety level, advise recommends one of the backends \
      that reach exactly this level: of those that are fast enough, the one that writes the fewest bytes, checkpoints \
      included. If none is, it recommends the fastest whose save and reads take at most four frames (66.8 ms), and \
      whose launch takes at most 400 ms or, if given, --launch-budget. It is marked 'borderline'. If none qualifies, \
      it prints 'nothing to recommend'. The exit code is 0 in each case. With --durability, only backends that reach \
      this level or a higher one compete; with shipped, only those with default settings.

      Never recommended are backends whose saves or reads the suite emulates because the engine lacks the feature, \
      work-alikes (imitations, such as object-graph of Core Data) and baselines (such as 'null', which stores nothing).

      Times are medians on this machine (means, if rare slow operations make the mean much longer), judged by the \
      upper end of their confidence interval. They are those of save-one, read-one and a launch. The launch is the \
      first of these that the run has: launch-warm:until=screen, launch-warm, launch-cold:until=screen, launch-cold. \
      Without any, launches are not judged.

      The run needs save-one and read-one, as in the profile 'quick' (100 to 10000 records). Times between two \
      measured numbers of records are read off a fitted curve. If --records is outside the measured numbers, or if \
      --record-bytes is less than half or more than twice that of the run, advise ends with exit code 64; then add \
      --measure. With it, advise first makes a run of the same backends (without an earlier run: the default ones) at \
      --durability, or at shipped, intact and durable.
      """)

  @Argument(help: ArgumentHelp("The run's directory.", valueName: "dir"), completion: .directory)
  var directory = "results/latest"

  @Option(
    help: ArgumentHelp("How many records the app keeps: 2000, 10k.", valueName: "n"),
    transform: FlagValue.count(FileNumbers.records))
  var records: Int

  @Option(
    help: ArgumentHelp("How many records the app reads for each one that it saves: 20, 0.5.", valueName: "r"),
    transform: {
      try FlagValue.value($0, in: 0...1e9, "a number from 0 to 1,000,000,000, such as 20 or 0.5") { Double($0) }
    })
  var readsPerSave: Double

  @Option(
    help: ArgumentHelp("Payload bytes of a record (default: as in the run).", valueName: "b"),
    transform: FlagValue.count(FileNumbers.recordBytes))
  var recordBytes: Int?

  @Option(
    help: ArgumentHelp(
      """
      Lowest level: crash, intact or durable; or shipped: only default settings (default: an answer for each level).
      """,
      valueName: "level"
    ), completion: .list(Durability.allCases.map(\.rawValue)), transform: FlagValue.word("durability"))
  var durability: Durability?

  @Option(
    help: ArgumentHelp("Longest time from launch to first screen (default: 100ms).", valueName: "time"),
    transform: FlagValue.time(1_000_000...3_600_000_000_000))
  var launchBudget: Int64?

  @Flag(help: "First make a run with this number and size of records, in results/.")
  var measure = false

  mutating func run() async throws {
    let app = AppDescription(
      records: records, readsPerSave: readsPerSave, recordBytes: recordBytes, durability: durability,
      launchBudget: launchBudget.map(Double.init))
    if measure { directory = try await Self.measured(app, like: directory) }
    let model = try ReportModel(reading: RunDirectory(path: directory))
    let advice = Advice(app, by: model)
    guard !advice.levels.isEmpty || !advice.absences.isEmpty else {
      throw UsageError(
        "\(directory) has no rows of \(CostSeries.signature), on which advice is based; "
          + "give the directory of a run made with the profile quick, or add --measure")
    }
    if let obstacle = advice.obstacle {
      throw UsageError("\(directory): \(obstacle); add --measure, which runs: \(advice.measureLine)")
    }
    Screen.show(advice.document)
  }

  /// Measures records like those of `app` with the backends of the run in `directory`, or with the default backends if
  /// there is no run. Returns the new run's directory.
  private static func measured(_ app: AppDescription, like directory: String) async throws -> String {
    let isAbsent = directory == "results/latest" && !FileManager.default.fileExists(atPath: directory)
    let known = isAbsent ? [] : try ReportModel(reading: RunDirectory(path: directory)).plan.backendNames
    let backends =
      !known.isEmpty ? known : (Catalog.current.defaultBackends().flatMap(Profile.withVariants)).map(\.description)
    let out = "results/\(OutputDirectory.stamp())-advice"
    var arguments = Advice.command(app, backends: backends) + ["-o", out, "--quiet"]
    if DebugBuild.isThisBuild { arguments.append("--allow-debug") }
    StandardError.say("measuring: \(ShellWords.line([Program.name] + arguments))")
    var command = try RunCommand.parse(Array(arguments.dropFirst()))
    do {
      try await command.run()
    } catch let code as ExitCode where code.rawValue == ExitStatus.failed {
      // Failed benchmarks do not stop the command, because the advice names each of them.
    }
    return out
  }
}
