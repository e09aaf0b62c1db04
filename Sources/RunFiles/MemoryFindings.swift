/// The names of the findings (additional values) of a trial with a memory limit.
public enum MemoryFindings {
  /// The bytes of anonymous memory of the process before it opens the store, without code and file pages. The suite
  /// itself uses this part of the memory limit.
  public static let suiteBytes = "suite_bytes"
  /// The finding that is 1 if the process ended because of the memory limit. The trial's note then explains the end.
  public static let ended = "ended_by_memory"
  /// The disk space of the store's files after the last operation, as a multiple of the memory limit.
  public static let storeOverMemory = "store_over_memory"
  /// The number of page faults per operation that waited for the disk, such as reads of a mapped file. Only a trial
  /// that counts system calls has this number.
  public static let majorFaults = "major_faults_per_op"
  /// The number of bytes per operation that were read from the disk: by calls, page faults and read-ahead. Only a trial
  /// that counts system calls has this number.
  public static let diskBytes = "disk_bytes_per_op"
}
