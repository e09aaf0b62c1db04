import StorageContract

// The numbers of operations to run if system calls are counted: see ``Workload/countedOperations(records:kind:)``.

/// Returns the number of saves to make if system calls are counted. 2,000 saves of single pages include checkpoints.
func countedSaves(records: Int, kind: EngineKind) -> Int {
  switch kind {
  case .page, .memory: 2_000
  case .wholeFile: records > 1_000 ? 2 : 8
  }
}

/// Returns the number of changes to make if system calls are counted, at most 100.
func countedChanges(records: Int, kind: EngineKind) -> Int { min(100, countedSaves(records: records, kind: kind)) }

/// Returns the number of transactions to make if system calls are counted.
func countedTransactions(records: Int, kind: EngineKind) -> Int {
  switch kind {
  case .page, .memory: 500
  case .wholeFile: countedSaves(records: records, kind: kind)
  }
}

/// The number of reads to make if system calls are counted.
let countedReads = 2_000

/// Returns the number of queries to make if system calls are counted. Each query may read every record.
func countedQueries(records: Int) -> Int { records > 1_000 ? 2 : 8 }
