/// The names of the values that a trial with a memory limit reports.
public enum MemoryFindings {
  /// The name for the bytes of memory that this suite used before the store was opened. The trial's memory limit
  /// includes this memory.
  public static let suiteBytes = "suite_bytes"
  /// The name of the value that is 1 if the trial was ended because of its memory limit.
  public static let ended = "ended_by_memory"
  /// The name for the size of the store's files on disk, as a multiple of the memory limit.
  public static let storeOverMemory = "store_over_memory"
  /// The name for the number of major page faults (reads from the disk) per operation. Only trials that count system
  /// calls report the number.
  public static let majorFaults = "major_faults_per_op"
  /// The name for the number of bytes read from the disk per operation, including page faults. Only trials that count
  /// system calls report the number.
  public static let diskBytes = "disk_bytes_per_op"
}
