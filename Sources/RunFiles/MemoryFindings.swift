/// The names of findings (additional values of a trial) that a trial with a memory limit measures.
public enum MemoryFindings {
  /// The anonymous memory of the process in bytes before it opens the store, without code and file pages. The suite
  /// itself uses this share of the memory limit.
  public static let suiteBytes = "suite_bytes"
  /// The finding that is 1 if the memory limit ended the process. The trial's note explains this result.
  public static let ended = "ended_by_memory"
  /// The disk space of the store's files after the last operation, as a multiple of the memory limit.
  public static let storeOverMemory = "store_over_memory"
  /// The number of page faults per operation that waited for the disk, as reads of a mapped file do. The number is from
  /// a trial that counts calls.
  public static let majorFaults = "major_faults_per_op"
  /// The number of bytes read from the disk per operation, by calls, page faults and read-ahead. The number is from a
  /// trial that counts calls.
  public static let diskBytes = "disk_bytes_per_op"
}
