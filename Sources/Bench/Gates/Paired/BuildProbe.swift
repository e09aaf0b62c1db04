import Foundation
import StorageContract
import StorageRunFiles
import StorageTrial

/// The properties of another build of this benchmark suite, as its executable reports them.
struct BuildProbe: Sendable {
  struct Entry: Decodable, Sendable {
    struct Option: Decodable, Sendable {
      var name: String
    }
    var id: String
    var options: [Option]?
  }

  let path: String
  let backends: [Entry]
  let workloads: [Entry]
  let isDebug: Bool
  /// Whether the build accepts a separate random seed for the operations of each round. If false, all rounds have the
  /// same operations.
  let knowsStreams: Bool

  /// Asks an executable for the properties of its build. `flag` is the option that named the executable, such as
  /// `--base`.
  ///
  /// - Throws: `UsageError` if the executable is missing, cannot be run, or is not a build of this suite.
  init(_ path: String, flag: String) async throws {
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
      throw UsageError("\(flag): \(path) does not exist; give the path of a built storage-bench")
    }
    guard !isDirectory.boolValue, FileManager.default.isExecutableFile(atPath: path) else {
      throw UsageError("\(flag): \(path) cannot be run; give the path of a built storage-bench")
    }
    self.path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    func ask<Answer: Decodable>(_ arguments: [String], _ type: Answer.Type) async throws -> Answer {
      guard let data = try await Self.answer(path, arguments) else {
        throw UsageError(
          "\(flag): \(path) did not answer within \(Self.seconds) seconds; give the path of a built storage-bench")
      }
      guard let answer = try? JSONDecoder().decode(type, from: data) else {
        throw UsageError(
          "\(flag): \(path) does not answer as a storage-bench of schema version \(schemaVersion); "
            + "build that side from a commit with this schema version, or give another executable")
      }
      return answer
    }
    // The build answers this empty request with an error that also contains the properties of the build.
    let response = try await ask([TrialRequest.argument, "{}"], TrialResponse.self)
    isDebug = response.isDebug ?? false
    knowsStreams = response.knowsStreams ?? false
    backends = try await ask(["list", "backends", "--json"], [Entry].self)
    workloads = try await ask(["list", "workloads", "--json"], [Entry].self)
  }

  private static let seconds = 10

  /// Runs an executable and returns its output; nil if the executable does not end within ``seconds``.
  ///
  /// - Throws: `CancellationError` if the task is cancelled.
  private static func answer(_ path: String, _ arguments: [String]) async throws -> Data? {
    let answer = try await withThrowingTaskGroup(of: Data?.self) { group in
      group.addTask {
        let process = try? SpawnedProcess(
          [path] + arguments, streams: [0: .pipe, 1: .pipe, 2: .pipe], leadsGroup: true)
        process?.closeInput()
        let output = try? await process?.attend { process in
          defer { process.wait() }
          return try process.readAll(limit: 1 << 20).output
        }
        return output ?? Data()
      }
      group.addTask {
        try? await Task.sleep(for: .seconds(seconds))
        return nil
      }
      let first = try await group.next() ?? nil
      group.cancelAll()
      return first
    }
    try Task.checkCancellation()
    return answer
  }

  func check(_ cell: Cell, flag: String) throws {
    let lack = "\(flag): \(path) lacks"
    let fix = "leave \(cell.name) out with -b, -w or --skip"
    for (kind, spec, entries) in [("backend", cell.backend, backends), ("workload", cell.workload, workloads)] {
      guard let entry = entries.first(where: { $0.id == spec.id }) else {
        throw UsageError("\(lack) the \(kind) '\(spec.id)'; \(fix)")
      }
      for option in spec.options.names where entry.options?.contains(where: { $0.name == option }) != true {
        throw UsageError("\(lack) the option '\(option)' of \(kind) \(spec.id); \(fix)")
      }
    }
  }
}
