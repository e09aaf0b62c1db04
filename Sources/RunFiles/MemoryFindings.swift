/// The names of the findings of a trial with a memory limit, in addition to those of its workload.
public enum MemoryFindings {
  /// The anonymous memory of the process in bytes before it opens the store, without code and file pages. It is the
  /// suite's own share of the limit.
  public static let suiteBytes = "suite_bytes"
  /// 1 if the limit ended the process. This is a result, which the row's note explains.
  public static let ended = "ended_by_memory"
  /// The disk space of the store's files after the work, in multiples of the limit.
  public static let storeOverMemory = "store_over_memory"
  /// Page faults per operation that waited for the disk, which is how a map reads. Measured in the cost pass.
  public static let majorFaults = "major_faults_per_op"
  /// Bytes read from the disk per operation, by calls, page faults and read-ahead. Measured in the cost pass.
  public static let diskBytes = "disk_bytes_per_op"
}
