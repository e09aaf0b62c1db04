import ArgumentParser

struct RootCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: Program.name,
    abstract: "Which storage strategy, and from what size on? Measured on your machine and your data.",
    discussion: """
      Without a command it runs the profile quick: the most common questions, answered in a minute and a half.

      A cell is one backend with one workload, number of records and safety level. It is timed in several trials, each \
      in a new process, and counted once: calls, bytes, syncs and allocations.

      Safety levels: with crash, nothing is lost if the process is killed; with intact, a power cut does not damage the \
      store either, but may lose the last saves; with durable it loses none. shipped is what the library does by default.

      Exit codes: \(ExitStatus.meanings.map { "\($0.status) \($0.words)" }.joined(separator: "; ")).
      """,
    version: suiteVersion,
    subcommands: [
      RunCommand.self, ListCommand.self, ReportCommand.self, AdviseCommand.self, CheckCommand.self,
      CompareCommand.self, PairedCommand.self, NoiseCommand.self, MergeCommand.self,
      CrashTestCommand.self, TraceCommand.self, DoctorCommand.self, SubmitCommand.self,
    ],
    defaultSubcommand: RunCommand.self)

  static var names: [String] { configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"] }

  /// Returns the arguments with repeated list options joined: `-b a -b b` becomes `-b a,b`.
  ///
  /// - Throws: `UsageError` that names a single-value option that is given twice.
  static func joined(_ arguments: [String]) throws -> [String] {
    let command = configuration.subcommands.first { $0.configuration.commandName == arguments.first }
    return try CommandTree(of: command ?? RunCommand.self).joined(arguments)
  }
}

let suiteVersion = "0.1.0"
