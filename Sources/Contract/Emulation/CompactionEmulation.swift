/// Compaction over a store that has none: every record is read and written again, in one commit.
///
/// An engine that writes its whole file at every save has given back everything by then. One that keeps its free
/// pages gives back nothing this way, and its row shows so.
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
    // An empty store has a file too, and it may have been a large one: a commit of nothing still rewrites it.
    try store.commit(changes)
    try store.settle()
  }
}
