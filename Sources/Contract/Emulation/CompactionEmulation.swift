/// Compaction for an engine without it: every record is read and written again, in one commit.
///
/// Space is freed only if the engine writes its whole file at every save.
struct CompactionEmulation: Compacting {
  private let store: any StorageBackend
  private let collections: [CollectionID]

  init(over store: any StorageBackend, collections: [CollectionID]) {
    self.store = store
    self.collections = collections
  }

  func compact() throws {
    var changes: [Change] = []
    for collection in collections {
      changes += try store.records(.all, in: collection).map { .put($0, in: collection) }
    }
    // An empty store also has a file, which may have been a large one. An empty commit rewrites it.
    try store.commit(changes)
    try store.settle()
  }
}
