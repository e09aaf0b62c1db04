import StorageContract

// The numbers of operations over which a trial counts calls: see ``Workload/countedOperations(records:kind:)``.

/// Returns the number of saves of one record to run when system calls are counted. For an engine that writes single
/// pages, 2,000 saves include its first checkpoints. For an engine that rewrites its whole file, few saves suffice,
/// because they are slow and all alike.
func countedSaves(records: Int, kind: EngineKind) -> Int {
  switch kind {
  case .page, .memory: 2_000
  case .wholeFile: records > 1_000 ? 2 : 8
  }
}

/// Returns the number of operations on an app's data to run when system calls are counted: at most 100.
func countedChanges(records: Int, kind: EngineKind) -> Int { min(100, countedSaves(records: records, kind: kind)) }

/// Returns the number of small transactions to run when system calls are counted. For an engine that writes single
/// pages, the number is large enough to include checkpoints.
func countedTransactions(records: Int, kind: EngineKind) -> Int {
  switch kind {
  case .page, .memory: 500
  case .wholeFile: countedSaves(records: records, kind: kind)
  }
}

/// The number of reads to run when system calls are counted, for every kind of engine.
let countedReads = 2_000

/// Returns the number of queries to run when system calls are counted. It is small: each query may read every record,
/// and all results stay in memory until they are checked.
func countedQueries(records: Int) -> Int { records > 1_000 ? 2 : 8 }
