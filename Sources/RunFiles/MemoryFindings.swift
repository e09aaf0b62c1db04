/// What a trial with a limit of memory finds out beside its workload: the names that its findings have.
public enum MemoryFindings {
  /// Bytes of the process's own before it opens the store, code and the pages of files not counted: what the suite itself
  /// takes of the limit.
  public static let suiteBytes = "suite_bytes"
  /// 1 where the limit ended the process: a result, which the row's note tells in words.
  public static let ended = "ended_by_memory"
  /// How many times the limit the store's files take on the disk when the work is done.
  public static let storeOverMemory = "store_over_memory"
  /// Faults of an operation that waited for the disk: how a map reads. Of the cost pass.
  public static let majorFaults = "major_faults_per_op"
  /// Bytes that the disk was read for an operation, by calls and by faults, whatever was read ahead. Of the cost pass.
  public static let diskBytes = "disk_bytes_per_op"
}
