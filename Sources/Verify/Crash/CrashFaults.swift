import StorageContract

/// The faults that a crash test can inject, such as a kill. To add a fault, write a file in `Faults` and a line in this
/// list.
public enum CrashFaults {
  static let list: [any CrashFault.Type] = [
    KillFault.self,
    FullDiskFault.self,
    FailedCallFault.self,
    InterruptedCallFault.self,
    ShortWriteFault.self,
    FailedSyncFault.self,
    PowerFault.self,
    DamageFault.self,
    MemoryFault.self,
    ScheduleFault.self,
  ]

  /// The ids of the faults that a crash test tries by default, such as `kill` and `power`.
  public static var usual: [String] { list.filter { $0.isUsual }.map { $0.id } }

  /// The id of each fault, such as `kill`, with a short summary.
  public static var all: [(id: String, summary: String)] { list.map { ($0.id, $0.summary) } }

  /// Returns the fault with an id, such as `kill`. Throws `UsageError` for an unknown id.
  static func fault(_ id: String) throws -> any CrashFault.Type {
    if let fault = list.first(where: { $0.id == id }) { return fault }
    throw UsageError(Nearest.sentence("fault", id, among: list.map { $0.id }))
  }
}
