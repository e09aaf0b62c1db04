import Foundation
import StorageContract

/// The directory of a run, with its files and their readers.
public struct RunDirectory: Sendable, Equatable {
  /// The location of the directory of the run.
  public let url: URL

  /// Creates a reference to the directory of a run without reading any file.
  public init(url: URL) { self.url = url }

  /// Creates a reference to the directory of a run by path. A relative path starts at the working directory.
  public init(path: String) { self.init(url: URL(fileURLWithPath: path, isDirectory: true)) }

  /// The name of the run: the name of its directory, after links such as `results/latest` are resolved.
  public var name: String { url.resolvingSymlinksInPath().lastPathComponent }

  package func isSame(as other: RunDirectory) -> Bool {
    url.resolvingSymlinksInPath().path == other.url.resolvingSymlinksInPath().path
  }

  /// The location of `plan.json`, the plan of the run.
  public var planURL: URL { url.appendingPathComponent("plan.json") }
  /// The location of `environment.json`, the description of the machine and software.
  public var environmentURL: URL { url.appendingPathComponent("environment.json") }
  /// The location of `trials.jsonl`, the journal of the run's trials.
  public var trialsURL: URL { url.appendingPathComponent("trials.jsonl") }

  /// The location of `safety.json`, the results of crash tests.
  public var safetyURL: URL { url.appendingPathComponent("safety.json") }

  /// The location of `probes.jsonl`, measurements of the machine's speed during a run. Untimed runs have no such file.
  public var probesURL: URL { url.appendingPathComponent("probes.jsonl") }

  /// The measurements of the machine's speed during a run, from `probes.jsonl`. Unreadable lines are skipped.
  public var probes: [ProbeSample] {
    guard let data = try? Data(contentsOf: probesURL) else { return [] }
    let decoder = JSONDecoder()
    return data.split(separator: 0x0A).compactMap { try? decoder.decode(ProbeSample.self, from: $0) }
      .filter { (try? $0.checkNumbers()) != nil }
  }

  /// A reader of `trials.jsonl`, which passes the trials one by one.
  public var trials: TrialReader { TrialReader(url: trialsURL) }

  /// Checks that the directory contains the files of a run.
  ///
  /// - Throws: `UsageError` if the path is missing, not a directory, empty, unreadable, or not a run.
  public func check() throws {
    let path = url.path
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
      throw UsageError("\(path) does not exist; name the directory of a run")
    }
    guard isDirectory.boolValue else {
      throw UsageError("\(path) is not a directory; name the directory of a run")
    }
    let names = try AtomicFile.reading(path) { try FileManager.default.contentsOfDirectory(atPath: path) }
    guard !names.isEmpty else {
      throw UsageError("\(path) is empty; name the directory of a run")
    }
    for file in [planURL, environmentURL, trialsURL] where !names.contains(file.lastPathComponent) {
      throw UsageError(
        "\(path) is not a run: it has no \(file.lastPathComponent); name a directory that `run` has written")
    }
  }

  /// Reads the plan of the run, `plan.json`.
  ///
  /// - Throws: `UsageError` if the file cannot be read, is damaged, or has another schema version.
  public func plan() throws -> Plan { try read(planURL) }

  /// Returns whether the bytes of a file may be a plan, because they are JSON with a schema version.
  public static func isPlan(_ data: Data) -> Bool { schema(of: data, JSONDecoder()) != nil }

  /// Reads the description of the machine and software, `environment.json`.
  ///
  /// - Throws: `UsageError` if the file cannot be read, is damaged, or has another schema version.
  public func environment() throws -> MachineEnvironment { try read(environmentURL) }

  /// Reads the results of crash tests, `safety.json`. Returns nil if the run has no such file.
  ///
  /// - Throws: `UsageError` if the file exists but cannot be read, is damaged, or has another schema version.
  public func safety() throws -> SafetyReport? {
    guard FileManager.default.fileExists(atPath: safetyURL.path) else { return nil }
    return try read(safetyURL)
  }

  private func read<File: RunFile>(_ url: URL) throws -> File {
    try File(AtomicFile.contents(url.path), path: url.path)
  }

  static func schema(of data: Data, _ decoder: JSONDecoder) -> Int? {
    struct Versioned: Decodable { var schema: Int }
    return try? decoder.decode(Versioned.self, from: data).schema
  }
}

extension RunDirectory {
  /// Writes the first files of a run: `environment.json`, an empty journal and, last, `plan.json`.
  ///
  /// - Throws: ``FileWriteError`` if a file cannot be written; `UsageError` if an existing file may not be replaced.
  public func begin(_ plan: Plan, _ environment: MachineEnvironment) throws {
    try write(environment, to: environmentURL, replacing: Self.isEnvironment)
    try AtomicFile.write("", to: trialsURL) { $0.isEmpty }
    try write(plan, to: planURL) { _ in false }
  }

  package func withdraw() {
    for url in [planURL, trialsURL, environmentURL] { unlink(url.path) }
  }

  /// Returns whether the directory is empty or contains only files that a run writes before `plan.json`. `names` are
  /// the names of the directory's files.
  package func isUnbegun(_ names: [String]) -> Bool {
    names.allSatisfy { name in
      switch name {
      case environmentURL.lastPathComponent: Self.isEnvironment(AtomicFile.head(of: environmentURL))
      case trialsURL.lastPathComponent:
        OwnedDirectory.lstat(trialsURL.path).map { $0.st_mode.isRegularFile && $0.st_size == 0 } == true
      default: AtomicFile.writer(of: name) != nil
      }
    }
  }

  private static func isEnvironment(_ head: Data) -> Bool {
    (try? JSONDecoder().decode(MachineEnvironment.self, from: head)) != nil
  }

  private func write(_ value: some Encodable, to url: URL, replacing isOwn: (Data) -> Bool) throws {
    try AtomicFile.write(JSONEncoder.pretty.text(value), to: url, replacing: isOwn)
  }

  /// Writes the duration of the run, in seconds, into `environment.json`. Nil removes the duration.
  ///
  /// - Throws: `UsageError` if the file cannot be read, ``FileWriteError`` if the file cannot be written.
  public func note(wall: Double?) throws {
    var environment = try environment()
    guard environment.wall != wall else { return }
    environment.wall = wall
    try write(environment, to: environmentURL, replacing: Self.isEnvironment)
  }
}
