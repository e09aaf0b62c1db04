/// The names of the additional values (findings) that a trial (a measuring process) with a memory limit reports.
public enum MemoryFindings {
  /// The name of the value for the anonymous memory that the process has before it opens the store, in bytes. It counts
  /// towards the memory limit, although the suite and not the store uses it.
  public static let suiteBytes = "suite_bytes"
  /// The name of the value that is 1 if the process ended because of the memory limit.
  public static let ended = "ended_by_memory"
  /// The name of the value for the disk space of the store's files after the last operation, as a multiple of the
  /// memory limit.
  public static let storeOverMemory = "store_over_memory"
  /// The name of the value for major page faults per operation, such as by reads of a mapped file. A major page fault
  /// waits for the disk. Only a process that counts system calls reports the value.
  public static let majorFaults = "major_faults_per_op"
  /// The name of the value for the bytes read from the disk, divided by the number of operations. It includes reads by
  /// calls, page faults and read-ahead. Only a process that counts system calls reports the value.
  public static let diskBytes = "disk_bytes_per_op"
}
