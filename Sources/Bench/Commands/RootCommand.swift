import ArgumentParser

struct RootCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: Program.name,
    abstract: """
      Which storage strategy fits, and at what number of records does the answer change? Measured on your machine, \
      with your data.
      """,
    discussion: """
      Without a command it runs the profile 'quick': the most common questions, answered in a minute and a half.

      It runs on Linux only. The backend object-graph, a work-alike, takes the place of Core Data and SwiftData. \
      UserDefaults, property lists and NSKeyedArchiver are those of Foundation for Linux. Records are generated; \
      --dataset reads yours.

      Times hold for this machine only. The bytes, writes and syncs of a save are the same on other machines with the \
      same library version, settings and memory page size. The exception is the backend 'defaults' (UserDefaults): its \
      figures hold on Linux only.

      A cell is one backend with one workload, number of records and safety level. It is timed in several trials, each \
      in a new process. One more process, untimed, counts its calls, bytes, syncs and allocations. The name of a cell \
      has the options that differ from the default, the level asked for, and conditions: bytes=B (payload of a \
      record), threads=K, cold (page cache), aged=K (changes per record before measuring), memory=SIZE (limit). \
      Example: sqlite:journal=wal/mix:ycsb=a/10000/shipped/aged=10

      Safety levels: 'crash': nothing is lost if the process is killed. 'intact': in addition, a power cut does not \
      damage the store, but may lose the last saves. 'durable': a power cut loses no save either. 'shipped' is what \
      the library does by default; 'list backends' and the reports show which level that reaches. Below 'crash' are \
      'fragile' (a crash or a full disk during a save can destroy earlier saves) and 'volatile' (saves are in memory \
      only, or written later).

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
  /// - Throws: `UsageError` if an option with a single value is given two different values.
  static func joined(_ arguments: [String]) throws -> [String] {
    let command = configuration.subcommands.first { $0.configuration.commandName == arguments.first }
    return try CommandTree(of: command ?? RunCommand.self).joined(arguments)
  }
}

let suiteVersion = "0.1.0"
