/// What a cost trial counted: integer totals over ``countedOperations``. Nil means not measured.
public struct Cost: Sendable, Codable, Equatable {
  /// How many operations the counts are of.
  public var countedOperations: Int
  /// Logical bytes that the operations changed.
  public var bytesChanged: Int?
  /// Bytes written to the store up to the last acknowledgement.
  public var bytesWritten: Int?
  /// The same after checkpoint and close.
  public var bytesWrittenSettled: Int?
  /// Calls that wrote to the store.
  public var writeCalls: Int?
  /// Calls that made the disk flush, up to the last acknowledgement.
  public var syncs: Int?
  /// The same after checkpoint and close.
  public var syncsSettled: Int?
  /// Bytes read from the store; nil where it is mapped into memory.
  public var bytesRead: Int?
  /// Files opened.
  public var opens: Int?
  /// Files renamed.
  public var renames: Int?
  /// Blocks taken from malloc.
  public var allocations: Int?
  /// Bytes taken from malloc.
  public var allocatedBytes: Int?
  /// SQL statements run up to the last acknowledgement; nil where the engine takes none.
  public var statements: Int?
  /// Logical bytes of all records at the end.
  public var storedBytes: Int?
  /// Length of the store's files after close.
  public var fileBytes: Int?
  /// What the file system keeps for them.
  public var fileBytesAllocated: Int?
  /// Files and directories of the store after close, without the directory that it was given.
  public var inodes: Int?
  /// Highest anonymous resident memory above the start.
  public var peakAnonBytes: Int?
  /// Highest file-backed resident memory above the start.
  public var peakFileBytes: Int?
  /// Bytes written to anything but the store, over the same span as ``bytesWrittenSettled``.
  public var otherBytesWritten: Int?
  /// Calls of the same.
  public var otherWriteCalls: Int?
  /// Bytes written to the store and to anything else, as counted, up to the end.
  public var seenBytesWritten: Int?
  /// Calls of the same.
  public var seenWriteCalls: Int?
  /// The bytes as the kernel counted them for the process: the witness that no call was missed.
  public var processBytesWritten: Int?
  /// The calls as the kernel counted them.
  public var processWriteCalls: Int?
  /// Hash of the logical state after the fixture and the first operations; nil where it cannot be verified.
  public var digest: String?

  private enum CodingKeys: String, CodingKey {
    case countedOperations = "counted_operations"
    case bytesChanged = "bytes_changed"
    case bytesWritten = "bytes_written"
    case bytesWrittenSettled = "bytes_written_settled"
    case writeCalls = "write_calls"
    case syncs
    case syncsSettled = "syncs_settled"
    case bytesRead = "bytes_read"
    case opens, renames, allocations
    case allocatedBytes = "allocated_bytes"
    case statements
    case storedBytes = "stored_bytes"
    case fileBytes = "file_bytes"
    case fileBytesAllocated = "file_bytes_allocated"
    case inodes
    case peakAnonBytes = "peak_anon_bytes"
    case peakFileBytes = "peak_file_bytes"
    case otherBytesWritten = "other_bytes_written"
    case otherWriteCalls = "other_write_calls"
    case seenBytesWritten = "seen_bytes_written"
    case seenWriteCalls = "seen_write_calls"
    case processBytesWritten = "process_bytes_written"
    case processWriteCalls = "process_write_calls"
    case digest
  }

  /// Creates a cost of nothing measured.
  public init(countedOperations: Int) { self.countedOperations = countedOperations }
}
