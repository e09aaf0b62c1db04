/// The names of the findings that a trial with a memory limit adds to those of its workload.
public enum MemoryFindings {
  /// The anonymous memory of the process in bytes before it opens the store, without code and file pages. This memory
  /// is the suite's own share of the limit.
  public static let suiteBytes = "suite_bytes"
  /// The finding that is 1 if the memory limit ended the process. The row's note explains this result.
  public static let ended = "ended_by_memory"
  /// The disk space of the store's files after the work, in multiples of the limit.
  public static let storeOverMemory = "store_over_memory"
  /// Page faults per operation that waited for the disk, as reads of a mapped file do. The cost trial measures them.
  public static let majorFaults = "major_faults_per_op"
  /// Bytes read from the disk per operation, by calls, page faults and read-ahead. The cost trial measures them.
  public static let diskBytes = "disk_bytes_per_op"
}
