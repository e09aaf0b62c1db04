import StorageContract

/// Every fault there is. To add one, write its file in `Faults` and add its line here.
public enum CrashFaults {
  /// In the order in which results list them.
  static let list: [any CrashFault.Type] = [
    KillFault.self,
    FullDiskFault.self,
    FailedCallFault.self,
    InterruptedCallFault.self,
    ShortWriteFault.self,
    FailedSyncFault.self,
    PowerFault.self,
    DamageFault.self,
  ]

  /// Their names on the command line, and what each tries, as a half sentence.
  public static var all: [(id: String, summary: String)] { list.map { ($0.id, $0.summary) } }

  /// The fault of a name.
  ///
  /// - Throws: `UsageError` naming the nearest one there is.
  static func fault(_ id: String) throws -> any CrashFault.Type {
    if let fault = list.first(where: { $0.id == id }) { return fault }
    throw UsageError(Nearest.sentence("fault", id, among: list.map { $0.id }))
  }
}
