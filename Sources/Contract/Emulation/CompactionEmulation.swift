/// The emulation of compaction for stores without it. Every record is read and written again, in one commit.
///
/// In an engine that writes its whole file at every save, all unused space becomes free. In an engine that keeps its
/// free pages, none becomes free, and the report shows that.
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
