import StorageContract

// The numbers of operations over which a trial counts calls: see ``Workload/countedOperations(records:kind:)``.

/// Returns the number of saves to make if the benchmark counts system calls. For an engine that writes single pages,
/// 2,000 saves include its first checkpoints. For an engine that rewrites a whole file, a few slow saves suffice.
func countedSaves(records: Int, kind: EngineKind) -> Int {
  switch kind {
  case .page, .memory: 2_000
  case .wholeFile: records > 1_000 ? 2 : 8
  }
}

/// Returns the number of changes to make in a measurement that counts system calls. The number is at most 100. A
/// measurement of time does not use this number.
func countedChanges(records: Int, kind: EngineKind) -> Int { min(100, countedSaves(records: records, kind: kind)) }

/// Returns the number of transactions to make if the benchmark counts system calls. Each transaction changes a few
/// records. For an engine that writes single pages, such as SQLite, the number is large enough to include checkpoints.
func countedTransactions(records: Int, kind: EngineKind) -> Int {
  switch kind {
  case .page, .memory: 500
  case .wholeFile: countedSaves(records: records, kind: kind)
  }
}

/// The number of reads to make if the benchmark counts system calls.
let countedReads = 2_000

/// Returns the number of queries to make if the benchmark counts system calls. The number is small, because each query
/// may read every record.
func countedQueries(records: Int) -> Int { records > 1_000 ? 2 : 8 }
