import ArgumentParser

struct RootCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: Program.name,
    abstract: "Which storage strategy, and from what size on? Measured on your machine and your data.",
    discussion: """
      Without a command it runs the profile quick: the most common questions, answered in a minute and a half.

      It runs on Linux, without Apple's frameworks. Times hold for this machine only. Bytes, writes and syncs of a \
      save hold for the same library, version, settings and page size elsewhere; those of defaults (UserDefaults) \
      for Linux only. Records are generated; --dataset reads yours.

      A cell is one backend with one workload, number of records and safety level. It is timed in several trials, \
      each in a new process, and counted once: calls, bytes, syncs and allocations. Its name has the options that \
      differ from the default, the level asked for, and conditions (bytes=B, threads=K, cold, aged=K, memory=SIZE): \
      sqlite:journal=wal/mix:ycsb=a/10000/shipped/aged=10

      Safety levels: with crash, nothing is lost if the process is killed; with intact, a power cut does not damage \
      the store either, but may lose the last saves; with durable it loses none. shipped is what the library does by \
      default; 'list backends' and reports show the level reached. Below crash are fragile (a crash or a full disk \
      during a save can destroy earlier saves) and volatile (saves are in memory only, or written later).

      results/latest is the newest run that was started without -o.

      Exit codes: \(ExitStatus.meanings.map { "\($0.status) \($0.words)" }.joined(separator: "; ")). A command with \
      other codes lists them in its help.
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
  /// - Throws: `UsageError` if an option with a single value is given twice. The error names the option.
  static func joined(_ arguments: [String]) throws -> [String] {
    let command = configuration.subcommands.first { $0.configuration.commandName == arguments.first }
    return try CommandTree(of: command ?? RunCommand.self).joined(arguments)
  }
}

let suiteVersion = "0.1.0"
