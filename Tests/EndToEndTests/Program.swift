import Foundation
import TestSupport
import Testing

/// The built executables, run as a user runs them.
///
/// The suites of this target belong to two serialized suites that run in parallel, because one test alone may keep more
/// than one processor busy.
@Suite enum EndToEnd {
  /// Runs, their results and reports.
  @Suite(.serialized) enum Measuring {}
  /// Errors, interruptions, refusals, counts and long runs.
  @Suite(.serialized) enum Enduring {}
}

/// A program that has ended.
struct Finished {
  /// The exit code, or minus the signal.
  var status: Int32
  var output: String
  var errors: String

  /// The lines of standard error.
  var complaints: [Substring] { errors.split(separator: "\n") }
}

/// A program of this package, started in a directory.
final class Program: @unchecked Sendable {
  private let process = Process()
  private let outputPath: String
  private let errorPath: String
  private let ended: AsyncStream<Void>

  /// The directory of the executables that are run, which were built with the tests.
  static let products = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()

  /// Whether the tests were built by scripts/test.
  static let isBuiltByScript = ProcessInfo.processInfo.environment["STORAGE_BENCH_TESTS"] != nil

  /// The directory of the checkout.
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The path of `storage-bench`.
  static let bench = products.appendingPathComponent("storage-bench").path

  /// Whether a user may mount file systems in a namespace.
  static let canMount = succeeds("unshare -rm mount -t tmpfs none /mnt")

  /// Runs a script of the shell, and returns whether it succeeds.
  static func succeeds(_ script: String) -> Bool { (try? runProgram(["/bin/sh", "-c", script]))?.status == 0 }

  var identifier: Int32 { process.processIdentifier }

  /// Starts a program.
  ///
  /// - Parameter environment: Variables added to those of this process. Variables of GitHub Actions are removed,
  ///   because the tests themselves may run there.
  init(_ executable: URL, _ arguments: [String], in workplace: Workplace, environment: [String: String] = [:]) throws {
    let name = UUID().uuidString
    outputPath = "\(workplace.logs)/\(name).out"
    errorPath = "\(workplace.logs)/\(name).err"
    for path in [outputPath, errorPath] { try Data().write(to: URL(fileURLWithPath: path)) }
    process.executableURL = executable
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: workplace.path)
    process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("GITHUB_") }
      .merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    let streams = try [outputPath, errorPath].map { try FileHandle(forWritingTo: URL(fileURLWithPath: $0)) }
    (process.standardOutput, process.standardError) = (streams[0], streams[1])
    // Foundation lists this process's descriptors for each process that it starts. With a thousand of them it sometimes
    // crashes.
    defer { for stream in streams { try? stream.close() } }
    let (stream, continuation) = AsyncStream<Void>.makeStream()
    ended = stream
    process.terminationHandler = { _ in continuation.finish() }
    try process.run()
  }

  var isRunning: Bool { process.isRunning }

  func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

  /// Waits until the program, which must not end before, has done something.
  func wait(until isDone: () throws -> Bool) async throws {
    while true {
      let wasRunning = isRunning
      if try isDone() { return }
      try #require(wasRunning, "the program ended too early")
      try await Task.sleep(for: .milliseconds(2))
    }
  }

  /// Waits until the program has ended, and expects its exit code if one is given.
  @discardableResult
  func finish(exits expected: Int32? = nil, sourceLocation: SourceLocation = #_sourceLocation) async -> Finished {
    for await _ in ended {}
    let status = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    let finished = Finished(status: status, output: Self.text(outputPath), errors: Self.text(errorPath))
    if let expected {
      let comment: Comment = "\(process.arguments ?? []): \(finished.output)\(finished.errors)"
      #expect(status == expected, comment, sourceLocation: sourceLocation)
    }
    return finished
  }

  private static func text(_ path: String) -> String {
    String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
  }
}

/// A directory for one test, on the disk of the checkout. Temporary directories may be in memory, where nothing is
/// durable.
final class Workplace {
  let path: String
  let logs: String
  private let parent: URL

  init() {
    parent = Program.root.appendingPathComponent(".build/end-to-end/\(UUID().uuidString)")
    path = parent.appendingPathComponent("work").path
    logs = parent.appendingPathComponent("logs").path
    for path in [path, logs] {
      do {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      } catch {
        Issue.record(error)
      }
    }
  }

  deinit { try? FileManager.default.removeItem(at: parent) }

  /// The names of the files in the directory.
  var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }

  /// Returns the names of the files in a directory.
  func names(in directory: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "\(path)/\(directory)").sorted()
  }

  /// Returns the text of a file.
  func text(_ name: String) throws -> String { try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8) }

  /// Returns the number of trials in the journal of a run, or 0 if there is none.
  func trialCount(_ run: String) -> Int {
    (FileManager.default.contents(atPath: "\(path)/\(run)/trials.jsonl") ?? Data()).count { $0 == 0x0A }
  }

  @discardableResult
  func write(_ name: String, _ text: String) throws -> String {
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
    return "\(path)/\(name)"
  }

  /// - Parameter products: The directory of the program.
  func start(
    _ arguments: [String], program: String = "storage-bench", from products: URL = Program.products,
    environment: [String: String] = [:]
  ) throws -> Program {
    try Program(products.appendingPathComponent(program), arguments, in: self, environment: environment)
  }

  /// Starts a script of the shell, in which `$0` is `storage-bench`, with arguments.
  ///
  /// - Parameter options: Those of `unshare`, if the script needs a namespace.
  func start(shell script: String, _ arguments: [String] = [], unshare options: String? = nil) throws -> Program {
    try start(
      (options.map { [$0, "sh"] } ?? []) + ["-c", script, Program.bench] + arguments,
      program: options == nil ? "sh" : "unshare", from: URL(fileURLWithPath: "/bin"))
  }

  /// Runs `storage-bench` until it ends, and expects the exit code. The parts of a command line are split at spaces.
  @discardableResult
  func bench(
    _ parts: String..., program: String = "storage-bench", exits status: Int32 = 0,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Finished {
    try await bench(parts.flatMap(\.words), program: program, exits: status, sourceLocation: sourceLocation)
  }

  @discardableResult
  func bench(
    _ arguments: [String], program: String = "storage-bench", environment: [String: String] = [:],
    exits status: Int32 = 0, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Finished {
    try await start(arguments, program: program, environment: environment).finish(
      exits: status, sourceLocation: sourceLocation)
  }

  /// Runs the command, and expects exit code 64, one line with the text, and no new files.
  func expectRefused(
    _ arguments: [String], _ text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let before = names
    let flags = arguments.first == "run" ? ["--allow-debug"] : []
    let finished = try await start(arguments + flags).finish()
    #expect(finished.status == 64, "\(arguments)", sourceLocation: sourceLocation)
    #expect(finished.complaints.count == 1, "\(arguments): \(finished.errors)", sourceLocation: sourceLocation)
    #expect(finished.errors.hasPrefix("storage-bench: "), sourceLocation: sourceLocation)
    #expect(finished.errors.contains(text), "\(arguments): \(finished.errors)", sourceLocation: sourceLocation)
    #expect(finished.output.isEmpty, "\(arguments): \(finished.output)", sourceLocation: sourceLocation)
    #expect(names == before, "\(arguments)", sourceLocation: sourceLocation)
  }

  /// Counts the saves of a property list, and writes the counts into a file of costs.
  func commitCounts(in file: String) async throws {
    try await bench("check", file, "--update", "-b", "plist", "-w", "save-one", "-n", "10")
  }

  /// Removes the records of interference from a run's journal. Other tests use the machine, and comparisons leave out
  /// disturbed rows.
  func forgetInterference(in run: String) throws {
    let trials = try text("\(run)/trials.jsonl")
    try write("\(run)/trials.jsonl", trials.replacing(/"interference":\{[^}]*\},/, with: ""))
  }

  /// Runs `storage-bench run`, which must succeed, and returns its results. The options are split at spaces.
  func run(_ parts: String..., into name: String) async throws -> Results {
    try await run(parts.flatMap(\.words), into: name)
  }

  /// Runs backends that misbehave, which must end with exit code 1, and returns the results of the run.
  func misbehave(_ parts: String...) async throws -> Results {
    try await run(parts.flatMap(\.words), into: "run", program: "MisbehavingBench", exits: 1)
  }

  func run(
    _ arguments: [String], into name: String, program: String = "storage-bench", exits status: Int32 = 0,
    environment: [String: String] = [:]
  ) async throws -> Results {
    let finished = try await start(
      ["run", "--allow-debug", "-q", "-o", name] + arguments, program: program, environment: environment
    ).finish()
    try #require(finished.status == status, "\(name): \(finished.errors)")
    return try Results("\(path)/\(name)")
  }
}

extension String {
  /// The arguments of a command line without quotation marks.
  var words: [String] { split(separator: " ").map(String.init) }

  /// The text in one line. Text that is wider than the terminal is wrapped between words.
  var unwrapped: String { split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}
