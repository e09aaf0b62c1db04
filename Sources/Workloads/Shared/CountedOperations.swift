import StorageContract

// The numbers of operations that the cost pass counts: see ``Workload/countedOperations(records:kind:)``.

/// Returns the number of one-record saves that the cost pass counts. A page engine needs two thousand until checkpoints
/// show. A whole-file engine does the same work in each save, and is slow.
func countedSaves(records: Int, kind: EngineKind) -> Int {
  switch kind {
  case .page, .memory: 2_000
  case .wholeFile: records > 1_000 ? 2 : 8
  }
}

/// Returns the number of app changes that the cost pass counts: fewer than saves, because each takes several calls.
func countedChanges(records: Int, kind: EngineKind) -> Int { min(100, countedSaves(records: records, kind: kind)) }

/// Returns the number of transactions of a few records that the cost pass counts: enough to show checkpoints.
func countedTransactions(records: Int, kind: EngineKind) -> Int {
  switch kind {
  case .page, .memory: 500
  case .wholeFile: countedSaves(records: records, kind: kind)
  }
}

/// The number of reads that the cost pass counts, for every kind of engine.
let countedReads = 2_000

/// Returns the number of queries that the cost pass counts, for every kind of engine. Each may read every record. There
/// are only as many as the digest covers, because all results are kept until they are checked.
func countedQueries(records: Int) -> Int { records > 1_000 ? 2 : 8 }
