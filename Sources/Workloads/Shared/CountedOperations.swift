import StorageContract

// The number of operations that the cost pass counts, by their kind: see ``Workload/countedOperations(records:kind:)``.

/// Returns the number of one-record saves that the cost pass counts. A page engine needs two thousand to show its
/// checkpoints. A whole-file engine does the same work in each, and is slow.
func countedSaves(records: Int, kind: EngineKind) -> Int {
  switch kind {
  case .page, .memory: 2_000
  case .wholeFile: records > 1_000 ? 2 : 8
  }
}

/// Returns the number of an app's changes that the cost pass counts, if each takes a few calls of the store: fewer than
/// of plain saves, because launches and lookups take time.
func countedChanges(records: Int, kind: EngineKind) -> Int { min(100, countedSaves(records: records, kind: kind)) }

/// Returns the number of transactions of a few records that the cost pass counts: enough for checkpoints, because each
/// writes more.
func countedTransactions(records: Int, kind: EngineKind) -> Int {
  switch kind {
  case .page, .memory: 500
  case .wholeFile: countedSaves(records: records, kind: kind)
  }
}

/// The number of reads that the cost pass counts, on every kind of engine.
let countedReads = 2_000

/// Returns the number of queries that may look at every record and that the cost pass counts, on every kind of engine:
/// as many as the digest takes, because all answers are held until they are checked.
func countedQueries(records: Int) -> Int { records > 1_000 ? 2 : 8 }
