/// The names of the values that a trial with a memory limit reports.
public enum MemoryFindings {
  /// The name of the value for the memory, in bytes, that the suite used before the store was opened. The limit
  /// includes this memory.
  public static let suiteBytes = "suite_bytes"
  /// The name of the value that is 1 if the trial was ended because of its memory limit.
  public static let ended = "ended_by_memory"
  /// The name of the value for the disk space of the store's files, divided by the memory limit.
  public static let storeOverMemory = "store_over_memory"
  /// The name of the value for major page faults (reads from the disk) per operation, from a trial that counts system
  /// calls.
  public static let majorFaults = "major_faults_per_op"
  /// The name of the value for bytes read from the disk per operation, with page faults, from a trial that counts
  /// system calls.
  public static let diskBytes = "disk_bytes_per_op"
}
