import ArgumentParser

/// The command line: one file per command.
struct RootCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: Program.name,
    abstract: "Which storage strategy, and from what size on? Measured on your machine and your data.",
    discussion: """
      Without a command it runs the quick profile: the headline questions, answered in a minute.

      Exit codes: \(ExitStatus.meanings.map { "\($0.status) \($0.words)" }.joined(separator: "; ")).
      """,
    version: suiteVersion,
    subcommands: [
      RunCommand.self, ListCommand.self, ReportCommand.self, AdviseCommand.self, CheckCommand.self,
      CompareCommand.self, PairedCommand.self, NoiseCommand.self, MergeCommand.self,
      CrashTestCommand.self, TraceCommand.self, DoctorCommand.self,
    ],
    defaultSubcommand: RunCommand.self)

  /// The commands there are, by what they are called.
  static var names: [String] { configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"] }
}

/// The version of the suite.
let suiteVersion = "0.1.0"
