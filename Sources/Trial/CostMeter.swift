import CStorageInstrument
import StorageContract
import StorageRunFiles

struct CostMeter {
  private let memoryAtStart: ci_memory
  private let ioAtStart: ci_process_io
  private var fileMemory: UInt64
  private var counts = ci_counts()
  private var memory = ci_memory()
  private let canMeasureMemory: Bool
  private var ioAtEnd = ci_process_io()

  init(root: String) throws {
    canMeasureMemory = ci_reset_peak() == 0
    var memory = ci_memory()
    _ = ci_read_memory(&memory)
    memoryAtStart = memory
    fileMemory = memory.file
    var io = ci_process_io()
    let error = ci_read_process_io(&io)
    guard error == 0 else {
      throw StoreError.failed(
        "cannot read /proc/self/io (error \(error)); run where this file can be read, such as outside a container")
    }
    ioAtStart = io
    ci_begin(root)
  }

  /// Measures the memory that this process uses for mapped file pages, and keeps the largest value so far.
  mutating func sampleMemory() {
    var file: UInt64 = 0
    if ci_read_file_memory(&file) == 0 { fileMemory = max(fileMemory, file) }
  }

  mutating func acknowledged() {
    ci_read(&counts)
    _ = ci_read_memory(&memory)
    fileMemory = max(fileMemory, memory.file)
  }

  mutating func settled(mapped: MappedAccess, witness: WriteVisibility) -> Cost {
    var settled = ci_counts()
    ci_read(&settled)
    _ = ci_read_process_io(&ioAtEnd)
    ci_end()
    var cost = Cost(countedOperations: 0)
    // This process cannot count the calls of a daemon.
    if witness != .daemon { countCalls(settled, mapped, in: &cost) }
    if ci_counts_allocations() != 0 {
      cost.allocations = Int(counts.allocations)
      cost.allocatedBytes = Int(counts.allocated_bytes)
    }
    if canMeasureMemory {
      let atStart = Int(memoryAtStart.anonymous + memoryAtStart.file)
      let file = Int(fileMemory) - Int(memoryAtStart.file)
      cost.peakFileBytes = max(0, file)
      cost.peakAnonBytes = max(0, Int(memory.peak) - atStart - max(0, file))
    }
    return cost
  }

  private func countCalls(_ settled: ci_counts, _ mapped: MappedAccess, in cost: inout Cost) {
    // Access through a memory mapping makes no calls that could be counted.
    if mapped != .readsAndWrites {
      cost.bytesWritten = Int(counts.bytes_written)
      cost.bytesWrittenSettled = Int(settled.bytes_written)
    }
    if mapped == .none { cost.bytesRead = Int(counts.bytes_read) }
    cost.writeCalls = Int(counts.write_calls)
    cost.syncs = Int(counts.syncs)
    cost.syncsSettled = Int(settled.syncs)
    cost.opens = Int(counts.opens)
    cost.renames = Int(counts.renames)
    cost.otherBytesWritten = Int(settled.other_bytes_written)
    cost.otherWriteCalls = Int(settled.other_write_calls)
    cost.processBytesWritten = Int(ioAtEnd.bytes_written - ioAtStart.bytes_written)
    cost.processWriteCalls = Int(ioAtEnd.write_calls - ioAtStart.write_calls)
    cost.seenBytesWritten = Int(settled.bytes_written + settled.other_bytes_written)
    cost.seenWriteCalls = Int(settled.write_calls + settled.other_write_calls)
  }
}
