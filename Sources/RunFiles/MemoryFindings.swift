/// The names of the values that a measuring process with a memory limit reports.
public enum MemoryFindings {
  /// The name under which a process reports the memory, in bytes, that the suite itself used before the store was
  /// opened. This memory counts towards the memory limit.
  public static let suiteBytes = "suite_bytes"
  /// The name of the value that is 1 if the process was ended because of its memory limit.
  public static let ended = "ended_by_memory"
  /// The name under which a process reports a quotient: the disk space of the store's files, divided by the memory
  /// limit.
  public static let storeOverMemory = "store_over_memory"
  /// The name of the value for major page faults per operation. A major page fault waits for data from the disk. Only a
  /// process that counts system calls reports the value.
  public static let majorFaults = "major_faults_per_op"
  /// The name of the value for bytes read from the disk per operation, including page faults and read-ahead. Only a
  /// process that counts system calls reports the value.
  public static let diskBytes = "disk_bytes_per_op"
}
