import ArgumentParser
import Foundation
import StorageContract
import StorageRunFiles
import StorageTrial
import StorageWorkloads

/// The command-line program of the benchmark suite. Call `main` before any other code, because every measurement starts
/// the program again.
public enum BenchmarkSuite {
  // On the main actor, because glibc allocates with the fewest system calls on the first thread: see
  // docs/explanation/bias.md.
  /// Runs the command named by the process's arguments, then exits with the command's exit code.
  ///
  /// - Parameters:
  ///   - backends: The backends for the option `-b`, in the order of reports.
  ///   - workloads: The workloads for the option `-w`, in the order of reports.
  @MainActor public static func main(
    backends: [any StorageBackend.Type], workloads: [any Workload.Type]
  ) async -> Never {
    let catalog = Catalog(backends: backends, workloads: workloads)
    let arguments = Array(CommandLine.arguments.dropFirst())
    // The child process of a measurement (trial) must not load more than an app would, so it skips the argument parser.
    if arguments.first == TrialRequest.argument, arguments.count == 2 {
      let child = TrialChild(catalog: catalog, executable: ProcessInfo.executable)
      exit(child.run(arguments[1]) ? ExitStatus.ok : ExitStatus.ioError)
    }
    if let obstacle = ProcessLimits.obstacle() { exit(complain(obstacle, ExitStatus.ioError)) }
    Interruption.watch()
    exit(StandardOutput.status(await Catalog.$current.withValue(catalog) { await run(arguments) }))
  }

  private static func run(_ arguments: [String]) async -> Int32 {
    do {
      try requireText()
      // The parser would pass an unknown first word to the default command.
      if let word = arguments.first, !word.hasPrefix("-"), !RootCommand.names.contains(word) {
        throw UsageError(Nearest.sentence("command", word, among: RootCommand.names))
      }
      var command = try RootCommand.parseAsRoot(RootCommand.joined(arguments))
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
      return ExitStatus.ok
    } catch {
      return Self.report(error, arguments.first.flatMap { RootCommand.names.contains($0) ? $0 : nil })
    }
  }

  /// Checks that the arguments and the working directory's path are UTF-8. Swift would replace invalid bytes, and open
  /// another file.
  private static func requireText() throws {
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let argument = CommandLine.unsafeArgv[index], String(validatingCString: argument) == nil else { continue }
      throw UsageError(
        "argument \(index), '\(String(cString: argument))', is not UTF-8; rename the file or directory that it names")
    }
    guard let directory = getcwd(nil, 0) else { return }
    defer { free(directory) }
    if String(validatingCString: directory) == nil {
      throw UsageError(
        "the working directory, \(String(cString: directory)), is not UTF-8; rename it, or work elsewhere")
    }
  }

  /// Prints the error as one sentence, and returns the exit code of the process.
  ///
  /// - Parameter command: The command whose help is mentioned, such as `run`; nil if the arguments name none.
  private static func report(_ error: any Error, _ command: String?) -> Int32 {
    switch error {
    case let error as UsageError: return complain(error.description, ExitStatus.usage)
    case let error as FileWriteError: return complain(error.description, ExitStatus.ioError)
    case let error as ExitStatus.Failure: return complain(error.description, error.status)
    case is CancellationError: return complain("interrupted; nothing was judged", ExitStatus.interrupted)
    case let error as ExitCode: return error.rawValue
    default:
      if RootCommand.exitCode(for: error) == .success { break }
      if RootCommand.exitCode(for: error) == .validationFailure {
        // Messages of ArgumentParser end in a period, a question mark or neither.
        let message = RootCommand.message(for: error)
        if let error = UsageError(ofParser: message) { return complain(error.description, ExitStatus.usage) }
        let sentence = message.split(whereSeparator: \.isNewline).joined(separator: " ")
        let told = sentence.trimmingCharacters(in: CharacterSet(charactersIn: " ."))
        let help = [Program.name, command, "--help"].compactMap { $0 }.joined(separator: " ")
        return complain(told + (told.hasSuffix("?") ? " See" : "; see") + " '\(help)'", ExitStatus.usage)
      }
      return complain(error.sentence, ExitStatus.ioError)
    }
    // The user asked for help or the version.
    StandardOutput.write(RootCommand.fullMessage(for: error) + "\n")
    return ExitStatus.ok
  }

  private static func complain(_ sentence: String, _ status: Int32) -> Int32 {
    StandardError.say(sentence)
    return status
  }
}
