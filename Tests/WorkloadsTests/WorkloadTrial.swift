import Foundation
import StorageContract
import Testing

@testable import StorageWorkloads

/// The environment of a trial of one workload and one store, as in a measurement: on a disk in memory, or of any
/// backend in a separate directory.
final class WorkloadTrial {
  let disk: ModelStore.Disk
  let directory = FileManager.default.temporaryDirectory.appendingPathComponent("model-\(UUID().uuidString)").path
  let workload: any Workload
  let context: SessionContext

  init(
    _ id: String, options: [String] = [], fault: ModelStore.Fault = .none, seed: UInt64 = 4,
    source: any RecordSource = GeneratedRecords(count: 60, bytes: 20, seed: 4),
    backend: any StorageBackend.Type = ModelStore.self, isCounting: Bool = true
  ) throws {
    let type = try #require(Workloads.all.first { $0.description.id == id })
    let description = type.description
    let workload = type.init(options: try type.parsed(options))
    let fixture = try workload.fixture(of: source)
    let disk = ModelStore.Disk(fault: fault)
    let start = description.startsEmpty ? nil : fixture
    try disk.reset(to: start)
    ModelStore.mount(disk, at: directory)
    let environment = StoreEnvironment(directory: directory, collections: workload.collections)
    self.disk = disk
    self.workload = workload
    context = SessionContext(
      fixture: fixture, seed: seed, recordBytes: 20, isCounting: isCounting, backend: backend,
      environment: environment, reset: { try disk.reset(to: start) },
      copyFiles: { ModelStore.mount(disk.copy(), at: $0) },
      startPartner: { ThreadPartner($0, source, seed, environment, backend) })
  }

  deinit {
    ModelStore.unmount(directory)
    let backup = Backup.directory(of: context.environment)
    ModelStore.unmount(backup)
    try? FileManager.default.removeItem(atPath: backup)
  }

  func session() throws -> any WorkloadSession { try workload.session(context) }

  /// Runs operations as a trial does, each prepared and verified. Returns the complaint of the verification about the
  /// reads and, if the workload writes, about the end state, which is passed to `look`.
  func complaint(operations: Int = 12, block: Int = 4, look: (Totals) -> Void = { _ in }) throws -> String? {
    try WorkloadsTests.complaint {
      let session = try session()
      let end = min(operations, session.limit ?? .max)
      try session.run(operations: end, block: min(block, session.blockSize))
      if type(of: workload).description.access == .writes {
        look(try session.expectation(after: end).check(context.open()))
      }
    }
  }
}

/// Returns the complaint of a verification, or nil.
func complaint(about body: () throws -> Void) throws -> String? {
  do {
    try body()
    return nil
  } catch let error as VerificationError {
    return error.description
  }
}

extension Workload {
  static func parsed(_ options: [String]) throws -> Options {
    try Options(parsing: options, specs: description.options, owner: "workload \(description.id)")
  }
}

extension WorkloadSession {
  /// Runs operations one by one, in verified blocks.
  func run(operations: Int, block size: Int) throws {
    try setUp()
    for start in stride(from: 0, to: operations, by: size) {
      let block = start..<min(operations, start + size)
      try prepare(block)
      for operation in block { try perform(operation) }
      try verify(block)
    }
    try finish()
  }
}

/// The second process of a shared store, on a thread of this process, for operations that alternate.
private final class ThreadPartner: RunningSecondProcess, @unchecked Sendable {
  // Sendable because the result is read when the thread has ended.
  private let done = DispatchSemaphore(value: 0)
  private let lock = NSLock()
  private var result: Result<SharingTally, any Error>?

  init(
    _ order: SecondProcessOrder, _ source: any RecordSource, _ seed: UInt64, _ environment: StoreEnvironment,
    _ backend: any StorageBackend.Type
  ) {
    Thread.detachNewThread { [self] in
      let result = Result { try SecondProcess.work(order, on: source, seed: seed, opening: environment, as: backend) }
      lock.withLock { self.result = result }
      done.signal()
    }
  }

  var hasEnded: Bool { lock.withLock { result != nil } }
  func kill() {}
  func bury() {}

  func report() throws -> SharingTally {
    while !hasEnded { done.wait() }
    return try lock.withLock { try result!.get() }
  }
}

extension Record {
  /// Returns a record with a value in every field.
  static func sample(_ id: Int64) -> Record {
    Record(
      id: id, name: "name \(id)", group: "group", score: Double(id) / 2, modified: 1_000 + Double(id),
      payload: [1, 2, 3, UInt8(truncatingIfNeeded: id)])
  }

  /// The changes of each field, by its name.
  static var changes: [(key: String, value: (inout Record) -> Void)] {
    [
      ("id", { $0.id += 1_000_000 }), ("name", { $0.name += "x" }), ("group", { $0.group = "GROUP" }),
      ("score", { $0.score = -0.0 }), ("modified", { $0.modified += 1e-9 }), ("payload", { $0.payload[0] ^= 1 }),
    ]
  }

  func with(_ change: (inout Record) -> Void) -> Record {
    var record = self
    change(&record)
    return record
  }
}

/// Returns whether a number of draws is within four standard deviations of the number to expect.
func isNear(_ found: Int, _ probability: Double, of draws: Int) -> Bool {
  let expected = probability * Double(draws)
  return abs(Double(found) - expected) < 4 * max(1, expected * (1 - probability)).squareRoot()
}
