/// The names of the additional values (findings) that a trial (a measuring process) with a memory limit reports.
public enum MemoryFindings {
  /// The name of the value for the anonymous memory of the process, in bytes, before it opens the store. The suite
  /// itself uses this part of the memory limit.
  public static let suiteBytes = "suite_bytes"
  /// The name of the value that is 1 if the process ended because of the memory limit.
  public static let ended = "ended_by_memory"
  /// The name of the value for the disk space of the store's files after the last operation, as a multiple of the
  /// memory limit.
  public static let storeOverMemory = "store_over_memory"
  /// The name of the value for page faults per operation that waited for the disk, such as reads of a mapped file. Only
  /// a process that counts system calls reports it.
  public static let majorFaults = "major_faults_per_op"
  /// The name of the value for bytes per operation read from the disk: by calls, page faults and read-ahead. Only a
  /// process that counts system calls reports it.
  public static let diskBytes = "disk_bytes_per_op"
}
