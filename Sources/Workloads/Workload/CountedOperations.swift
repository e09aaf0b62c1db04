import StorageContract

/// The number of operations in a trial that counts system calls. The number does not depend on the machine.
public enum CountedOperations: Sendable {
  /// A fixed number of operations.
  case number(Int)
  /// 2,000 reads.
  case reads
  /// Queries: 8, or 2 in a store of more than 1,000 records, to save time.
  case queries
  /// 2,000 saves, which include checkpoints, or as few as queries if each save writes the whole file.
  case saves
  /// 100 changes, or as few as queries if each save writes the whole file.
  case changes
  /// 500 transactions, or as few as queries if each save writes the whole file.
  case transactions

  func number(records: Int, kind: EngineKind) -> Int {
    let few = records > 1_000 ? 2 : 8
    return switch self {
    case .number(let number): number
    case .reads: 2_000
    case .queries: few
    case .saves: kind == .wholeFile ? few : 2_000
    case .changes: kind == .wholeFile ? few : 100
    case .transactions: kind == .wholeFile ? few : 500
    }
  }
}
