import Foundation

/// A program that reads the reports of a finished run and prints each sentence that contradicts a table.
///
///     check-run DIR [--bench EXE]
///
/// With the executable, it also repeats the terminal's output and looks up the named commands.
@main struct CheckRun {
  static func main() {
    var arguments = Array(CommandLine.arguments.dropFirst())
    var bench: String?
    if let index = arguments.firstIndex(of: "--bench"), index + 1 < arguments.count {
      bench = arguments[index + 1]
      arguments.removeSubrange(index...index + 1)
    }
    guard !arguments.isEmpty, !arguments.contains(where: { $0.hasPrefix("-") }) else {
      fail(64, "usage: check-run DIR... [--bench EXE]: name the directory of a finished run")
    }
    var isWrong = false
    for path in arguments {
      do {
        let run = try FinishedRun(
          URL(fileURLWithPath: path), terminal: try bench.map { try terminal($0, path) } ?? "",
          commands: try bench.map(commands) ?? [:])
        let problems = RunChecks.problems(run)
        for problem in problems { print("\(path): \(problem)") }
        print("\(path): \(RunChecks.looked(run)) sentences and fields, \(problems.count) contradictions")
        isWrong = isWrong || !problems.isEmpty
      } catch {
        fail(64, "\(error)")
      }
    }
    exit(isWrong ? 1 : 0)
  }

  /// Returns the text that the terminal shows at the end of a run.
  private static func terminal(_ bench: String, _ path: String) throws -> String {
    let scratch = FileManager.default.temporaryDirectory.appendingPathComponent("check-run-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: scratch) }
    return try output(bench, ["report", path, "-v", "-f", "json", "-o", scratch.path])
  }

  /// Returns the commands with their help.
  private static func commands(_ bench: String) throws -> [String: String] {
    let help = try output(bench, ["--help"])
    guard let list = help.range(of: "SUBCOMMANDS:") else { return [:] }
    let names = help[list.upperBound...].split(separator: "\n").compactMap { $0.firstMatch(of: /^  ([a-z]+)/)?.1 }
    return try Dictionary(
      names.map { (String($0), try output(bench, ["help", String($0)])) }, uniquingKeysWith: { first, _ in first })
  }

  private static func output(_ bench: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: bench)
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      fail(64, "\(bench) \(arguments.joined(separator: " ")) failed (see above)")
    }
    return String(decoding: data, as: UTF8.self)
  }

  private static func fail(_ status: Int32, _ message: String) -> Never {
    FileHandle.standardError.write(Data("check-run: \(message)\n".utf8))
    exit(status)
  }
}
