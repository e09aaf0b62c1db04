/// Compaction for an engine that has none: all records are written again in one commit. The store shrinks only if a
/// commit rewrites the whole file.
struct CompactionEmulation: Compacting {
  let store: any StorageBackend
  let collections: [CollectionID]

  func compact() throws {
    let changes: [Change] = try collections.flatMap { collection in
      try store.records(.all, in: collection).map { .put($0, in: collection) }
    }
    // An empty store also has a file, which may have been a large one. An empty commit rewrites the file.
    try store.commit(changes)
    try store.settle()
  }
}
