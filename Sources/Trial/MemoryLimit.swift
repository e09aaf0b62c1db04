import CStorageInstrument
import Foundation
import StorageContract
import StorageRunFiles

/// What a process with a limit of memory tells of it, and what is done around it.
///
/// The store is written outside of the group, synced and dropped from the page cache; a new process opens it that has been
/// in the group since before main. So every page of the store that is in memory is the group's, and makes way for another
/// when the group is full.
package struct MemoryLimit {
  private let request: TrialRequest
  private let memory: Int
  private let suite: UInt64
  private var began: (faults: UInt64, bytes: UInt64)?
  private var perOperation: (faults: Double, bytes: Double)?

  /// Looks at the process before it opens the store; nil where there is no limit.
  init?(_ request: TrialRequest) {
    guard let memory = request.cell.memory else { return nil }
    self.request = request
    self.memory = memory
    var own = ci_memory()
    _ = ci_read_memory(&own)
    suite = own.anonymous
  }

  /// Tells, for the case that the process is killed, that the store could be opened.
  func opened() throws {
    guard FileManager.default.createFile(atPath: request.opened, contents: nil) else {
      throw StoreError.failed("cannot write \(request.opened)")
    }
  }

  private static func read() -> (faults: UInt64, bytes: UInt64) {
    var io = ci_process_io()
    _ = ci_read_process_io(&io)
    return (ci_major_faults(), io.disk_bytes_read)
  }

  /// To be called right before the operations that are counted.
  mutating func begin() { began = Self.read() }

  /// To be called right after them.
  mutating func end(_ operations: Int) {
    guard let began, operations > 0 else { return }
    let now = Self.read()
    perOperation = (
      Double(now.faults - began.faults) / Double(operations), Double(now.bytes - began.bytes) / Double(operations)
    )
  }

  /// What is told of the limit.
  var findings: [Finding] {
    let size = Double(StoreFiles.sizes(request.store).allocated)
    let counted = perOperation.map {
      [
        Finding(MemoryFindings.majorFaults, $0.faults, .first), Finding(MemoryFindings.diskBytes, $0.bytes, .first),
      ]
    }
    return [
      Finding(MemoryFindings.storeOverMemory, size / Double(memory), .max),
      Finding(MemoryFindings.suiteBytes, Double(suite), .max),
    ] + (counted ?? [])
  }

  /// Takes the process out of its group; does nothing in one that has none.
  static func leave(_ request: TrialRequest) throws {
    guard let group = request.group else { return }
    let error = ci_join_group(group.outside)
    guard error == 0 else {
      throw StoreError.failed("cannot write to \(group.outside): \(String(cString: strerror(error)))")
    }
  }

  /// Takes the store out of memory, so that its pages are those of whoever opens it next.
  ///
  /// - Throws: ``StoreError`` if pages stay.
  package static func expel(_ request: TrialRequest) throws {
    try StoreFiles.sync(request.directory)
    try StoreFiles.drop(request.store, leaving: 0.01)
  }

  /// What a trial says that was ended by its limit.
  package static func sentence(_ request: TrialRequest) -> String {
    let cell = request.cell
    let room = "\(Quantity.grouped(cell.records)) records in \(Quantity.size(cell.memory ?? 0))"
    return FileManager.default.fileExists(atPath: request.opened)
      ? "\(cell.backend) cannot do \(cell.workload) with \(room)" : "\(cell.backend) cannot open \(room)"
  }
}
