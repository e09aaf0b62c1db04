import ArgumentParser

/// The command line: one file per command.
struct RootCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: Program.name,
    abstract: "Which storage strategy, and from what size on? Measured on your machine and your data.",
    discussion: """
      Without a command it runs the quick profile: the headline questions, answered in a minute.

      Exit codes: 0 done; 1 a cell failed or a promise was broken; 2 a confirmed regression or a broken rule; 3 too little could be judged; 64 something given cannot be used; 69 something must be installed; \
      74 the suite could not read or write its own files; 130 interrupted.
      """,
    version: suiteVersion,
    subcommands: [
      RunCommand.self, ListCommand.self, ReportCommand.self, AdviseCommand.self, CheckCommand.self,
      CompareCommand.self, PairedCommand.self, NoiseCommand.self, HistoryCommand.self, MergeCommand.self,
      CrashTestCommand.self, TraceCommand.self, DoctorCommand.self,
    ],
    defaultSubcommand: RunCommand.self)

  /// The commands there are, by what they are called.
  static var names: [String] { configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"] }
}

/// The version of the suite.
let suiteVersion = "0.1.0"
