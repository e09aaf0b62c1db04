import Foundation
import StorageBackends
import StorageContract
import StorageWorkloads

/// The multithreaded workloads on the backends, for the thread sanitizer: `scripts/lab thread-stress`.
///
///     thread-stress [SECONDS [BACKEND...]]     default: 2 seconds for each backend and workload, and the backends below
enum ThreadStress {
  static func run(_ arguments: [String]) throws {
    guard let seconds = Int(arguments.first ?? "2"), seconds > 0 else {
      fail("say for how many seconds, and on which backends", 64)
    }
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("thread-stress-\(UUID().uuidString)")
    var failures = 0
    for backend in arguments.count > 1 ? Array(arguments.dropFirst()) : backends {
      for workload in workloads {
        do {
          print("\(backend) \(workload): \(try stress(backend, workload, for: seconds, in: directory))")
        } catch {
          FileHandle.standardError.write(Data("thread-stress: \(backend) \(workload): \(error)\n".utf8))
          failures += 1
        }
      }
    }
    try? FileManager.default.removeItem(at: directory)
    if failures > 0 { exit(1) }
  }

  /// The workloads with their options.
  private static let workloads = [
    "readers-writer:readers=8", "readers-writer:readers=8:role=writer", "transfer:threads=4", "app-log:threads=4",
  ]
  /// The ways to share a store: a pool, a queue, connections with WAL and with a rollback journal, contexts over one
  /// coordinator, read transactions of a map, and the emulation.
  private static let backends = [
    "sqlite-queue:pool=yes", "sqlite-queue", "sqlite:journal=wal", "sqlite", "object-graph", "lmdb", "plist",
  ]

  /// Returns the options of a specification such as `transfer:threads=4`.
  private static func options(_ text: String, _ specs: [OptionSpec]) throws -> Options {
    let parts = text.split(separator: ":").map(String.init)
    return try Options(parsing: Array(parts.dropFirst()), specs: specs, owner: parts[0])
  }

  /// Runs a workload on a backend for some time, and compares the final content of the store with the model.
  private static func stress(_ backendText: String, _ workloadText: String, for seconds: Int, in directory: URL) throws
    -> String
  {
    func id(_ text: String) -> String { String(text.prefix { $0 != ":" }) }
    guard let backend = Backends.all.first(where: { $0.description.id == id(backendText) }) else {
      throw UsageError("there is no backend \(backendText)")
    }
    guard let type = Workloads.all.first(where: { $0.description.id == id(workloadText) }) else {
      throw UsageError("there is no workload \(workloadText)")
    }
    let storeURL = directory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: storeURL, withIntermediateDirectories: true)
    // Races do not need syncs, so the level has none.
    let environment = StoreEnvironment(
      directory: storeURL.path, options: try options(backendText, backend.description.options), durability: .crash,
      collections: type.description.collections)
    let workloadOptions = try options(workloadText, type.description.options)
    let workload = type.init(options: workloadOptions)
    // A small number, so that threads collide.
    let fixture = try workload.fixture(of: GeneratedRecords(count: 40, bytes: 100, seed: 1))
    try fixture.write(with: backend, in: environment)
    let threads = workloadOptions.names.contains("threads") ? 4 : 1
    let session = try workload.session(
      SessionContext(
        fixture: fixture, seed: 1, recordBytes: 100, isCounting: false, threads: threads, backend: backend,
        environment: environment))
    try session.setUp()
    let end = ContinuousClock.now + .seconds(seconds)
    var next = 0
    while ContinuousClock.now < end {
      let block = next..<next + min(100, session.blockSize)
      try session.prepare(block)
      try session.perform(block) {}
      try session.verify(block)
      next = block.upperBound
    }
    try session.finish()
    let store = try backend.init(opening: environment)
    _ = try session.expectation(after: next).check(store)
    try store.close()
    return "\(next) operations, all as they should be"
  }
}
