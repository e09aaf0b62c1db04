import StorageContract

// How many operations the cost pass counts, by what one of them is: see ``Workload/countedOperations(records:kind:)``.

/// How many one-record saves the cost pass counts. A page engine needs two thousand to show its checkpoints;
/// a whole-file engine does the same in each, and is slow.
func countedSaves(records: Int, kind: EngineKind) -> Int {
  switch kind {
  case .page, .memory: 2_000
  case .wholeFile: records > 1_000 ? 2 : 8
  }
}

/// How many of an app's changes the cost pass counts, where one takes a few calls of the store: fewer than of plain
/// saves, since launches and look-ups take their time.
func countedChanges(records: Int, kind: EngineKind) -> Int { min(100, countedSaves(records: records, kind: kind)) }

/// How many transactions of a few records the cost pass counts: enough for checkpoints, too, since each writes more.
func countedTransactions(records: Int, kind: EngineKind) -> Int {
  switch kind {
  case .page, .memory: 500
  case .wholeFile: countedSaves(records: records, kind: kind)
  }
}

/// How many reads the cost pass counts, on every kind of engine.
let countedReads = 2_000

/// How many queries the cost pass counts that may look at every record, on every kind of engine: as many as the digest
/// takes, since all of their answers are held until they are checked.
func countedQueries(records: Int) -> Int { records > 1_000 ? 2 : 8 }
