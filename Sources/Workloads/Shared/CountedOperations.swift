import StorageContract

// The numbers of operations over which a trial counts calls: see ``Workload/countedOperations(records:kind:)``.

/// Returns the number of one-record saves for counting calls. An engine that writes pages makes its first checkpoints
/// within two thousand. An engine that writes its whole file is slow, and does the same work in each save.
func countedSaves(records: Int, kind: EngineKind) -> Int {
  switch kind {
  case .page, .memory: 2_000
  case .wholeFile: records > 1_000 ? 2 : 8
  }
}

/// Returns the number of an app's changes for counting calls: at most 100, because each change takes several calls.
func countedChanges(records: Int, kind: EngineKind) -> Int { min(100, countedSaves(records: records, kind: kind)) }

/// Returns the number of transactions of a few records for counting calls. Checkpoints occur within that number.
func countedTransactions(records: Int, kind: EngineKind) -> Int {
  switch kind {
  case .page, .memory: 500
  case .wholeFile: countedSaves(records: records, kind: kind)
  }
}

/// The number of reads for counting calls, for every kind of engine.
let countedReads = 2_000

/// Returns the number of queries for counting calls: as many as the digest (a hash) covers. Each query may read every
/// record, and all results are kept until they are checked.
func countedQueries(records: Int) -> Int { records > 1_000 ? 2 : 8 }
