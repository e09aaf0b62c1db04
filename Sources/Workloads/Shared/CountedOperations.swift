import StorageContract

// The numbers of operations in a trial that counts system calls: see ``Workload/countedOperations(records:kind:)``.

/// Returns the number of saves in a trial that counts system calls: 2,000, to include checkpoints, or at most 8 for an
/// engine that writes the whole file in every save.
func countedSaves(records: Int, kind: EngineKind) -> Int {
  switch kind {
  case .page, .memory: 2_000
  case .wholeFile: records > 1_000 ? 2 : 8
  }
}

/// Returns the number of changes, at most 100, in a trial that counts system calls.
func countedChanges(records: Int, kind: EngineKind) -> Int { min(100, countedSaves(records: records, kind: kind)) }

/// Returns the number of transactions in a trial that counts system calls.
func countedTransactions(records: Int, kind: EngineKind) -> Int {
  switch kind {
  case .page, .memory: 500
  case .wholeFile: countedSaves(records: records, kind: kind)
  }
}

/// The number of reads in a trial that counts system calls.
let countedReads = 2_000

/// Returns the number of queries in a trial that counts system calls. Large stores get fewer queries, to save time.
func countedQueries(records: Int) -> Int { records > 1_000 ? 2 : 8 }
