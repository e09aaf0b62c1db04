import CStorageInstrument
import Foundation
import StorageContract
import StorageRunFiles

/// The memory limit of a trial, enforced by a Linux control group, with measurements of its effect.
package struct MemoryLimit {
  private let request: TrialRequest
  private let memory: Int
  private let suite: UInt64
  private var began: (faults: UInt64, bytes: UInt64)?
  private var perOperation: (faults: Double, bytes: Double)?

  init?(_ request: TrialRequest) {
    guard let memory = request.cell.memory else { return nil }
    self.request = request
    self.memory = memory
    var own = ci_memory()
    _ = ci_read_memory(&own)
    suite = own.anonymous
  }

  /// Creates an empty file, which shows the parent process that the store was opened within the memory limit.
  func opened() throws {
    guard FileManager.default.createFile(atPath: request.opened, contents: nil) else {
      throw StoreError.failed(
        "cannot write \(request.opened); check that its directory is writable and has free space")
    }
  }

  private static func read() -> (faults: UInt64, bytes: UInt64) {
    var io = ci_process_io()
    _ = ci_read_process_io(&io)
    return (ci_major_faults(), io.disk_bytes_read)
  }

  /// Begins to count page faults and bytes read from disk. Must be called right before the counted operations.
  mutating func begin() { began = Self.read() }

  mutating func end(_ operations: Int) {
    guard let began, operations > 0 else { return }
    let now = Self.read()
    perOperation = (
      Double(now.faults - began.faults) / Double(operations), Double(now.bytes - began.bytes) / Double(operations)
    )
  }

  var findings: [Finding] {
    let size = Double(StoreFiles.sizes(request.store).allocated)
    let found = [
      Finding(MemoryFindings.storeOverMemory, size / Double(memory), .max),
      Finding(MemoryFindings.suiteBytes, Double(suite), .max),
    ]
    guard let (faults, bytes) = perOperation else { return found }
    return found + [
      Finding(MemoryFindings.majorFaults, faults, .first), Finding(MemoryFindings.diskBytes, bytes, .first),
    ]
  }

  static func leave(_ request: TrialRequest) throws {
    guard let group = request.group else { return }
    let error = ci_join_group(group.outside)
    guard error == 0 else {
      throw StoreError.failed("cannot write to \(group.outside): \(String(cString: strerror(error)))")
    }
  }

  /// Drops the store's files from the page cache. Pages that stay there would escape the next process's memory limit.
  /// Throws ``StoreError`` if over 1 % of the pages stay.
  package static func expel(_ request: TrialRequest) throws {
    try StoreFiles.sync(request.directory)
    try StoreFiles.drop(request.store, leaving: 0.01)
  }

  package static func sentence(_ request: TrialRequest) -> String {
    let cell = request.cell
    let room = "\(Quantity.grouped(cell.records)) records in \(Quantity.size(cell.memory ?? 0))"
    return FileManager.default.fileExists(atPath: request.opened)
      ? "\(cell.backend) cannot do \(cell.workload) with \(room)" : "\(cell.backend) cannot open \(room)"
  }
}
