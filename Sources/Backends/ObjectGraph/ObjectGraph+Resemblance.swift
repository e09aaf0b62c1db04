import StorageContract

// Unpublished facts of Core Data: the size of its connection pool, its `synchronous` and `page_size`, and the size from
// which a value gets a file.

/// The assessments of how closely this object graph resembles Apple's Core Data, one per workload, from Apple's
/// documents and published logs.
extension ObjectGraphBackend {
  static func likeness(_ workload: Spec, _ options: Options) -> Resemblance {
    switch judgedAs(workload, in: options) {
    case "batch request in a file":
      Resemblance(
        .notComparable, "Core Data has batch requests for SQLite stores only",
        source: "Apple, NSBatchDeleteRequest; Apple, About Making Batch Changes")
    case "file":
      Resemblance(
        .holds,
        "an atomic store is in memory as a whole, and each save writes all of it; the file's format is another one",
        source: "Apple, Core Data Programming Guide, Persistent Store Types and Behaviors")
    case "relations by one fetch":
      Resemblance(
        .optimistic, "one fetch by a path finds all that is linked; apps write student.courses, which reads one by one",
        source: "Apple, Core Data Programming Guide, Faulting and Uniquing")
    case "batch insertion":
      Resemblance(
        .holds,
        "one prepared statement inserts rows without objects, attributes only; it is unknown how Core Data allocates their keys",
        source: "Apple, WWDC 2020, session 10017")
    case "external value":
      Resemblance(
        .holds,
        "a long value is in a file beside the store, as with Allows External Storage; the size from which Core Data does so is unknown",
        source: "bluecrowbar.com (2011); fatbobman.com (2022)")
    case "save-one", "save-all", "paced-save", "settings", "config", "four-lines", "transfer":
      Resemblance(
        .holds,
        "a save is one UPDATE of the changed columns that checks the row's version, in one transaction, in WAL mode",
        source: "Apple, QA1809 (WAL); SQL log in geek-ask.imtqy.com/questions/1151832")
    case "insert-one", "import", "refresh", "country-crud", "app-log", "rollback":
      Resemblance(
        .holds, "a save that inserts is two transactions, one for the keys and one for the rows",
        source: "SQL log in azamsharp.github.io, BudgetApp (about 2022)")
    case "reclaim", "delete-one":
      Resemblance(
        .pessimistic,
        "Core Data's files return the pages of deleted rows after large saves (auto_vacuum=2); here they stay until the store is vacuumed",
        source: "SQL log in azamsharp.github.io, BudgetApp; Data-swift/RealmVsSwiftData, README")
    case "backup":
      Resemblance(
        .optimistic,
        "the closed store's files are copied; migratePersistentStore, with which apps copy an open store, reads every row",
        source: "Apple, NSPersistentStoreCoordinator")
    case "purge":
      Resemblance(
        .holds, "a batch deletion is one statement without objects, with only the rules cascade and nullify",
        source: "Apple, WWDC 2020, session 10017")
    case "cascade":
      Resemblance(
        .holds, "delete rules are applied to objects in memory, and each deleted row is one statement",
        source: "Apple, Core Data Programming Guide, Object Lifetime and Delete Rules")
    case "read-one", "read-hot", "cache-hit", "read-missing", "find-name", "find-prefix", "find-range", "page-sorted",
      "sections", "aggregate", "load-all":
      Resemblance(
        .holds, "a fetch always asks SQLite, by one SELECT with bound values, and makes an object of each row",
        source: "speakerdeck.com/jasdev/accessing-data; Apple, NSFetchRequest")
    case "iterate":
      Resemblance(
        .holds, "an array of IDs, whose objects are read and released one batch at a time (fetchBatchSize)",
        source: "Apple, WWDC 2020, session 10017")
    case "read-bytes":
      Resemblance(
        .notComparable, "Core Data returns objects and copies of their values; it reads nothing in place",
        source: "Apple, NSManagedObject")
    case "launch-cold", "launch-warm":
      Resemblance(
        .optimistic,
        "the model is made by code and no framework is loaded; the time of Core Data's own start is not published",
        source: "nothing found")
    case "readers-writer", "long-reader":
      Resemblance(
        .holds,
        "contexts fetch at the same time over a small pool of connections, beside one writer in WAL mode; the pool's size is unknown",
        source: "Apple, What's New in Core Data in iOS 10 (2016)")
    case "two-processes":
      Resemblance(
        .holds,
        "a save compares the versions read with those in the store, and fails if another process saved first; each app decides how often it tries again",
        source: "Apple, Core Data Programming Guide, Change Management")
    case "relations":
      Resemblance(
        .holds,
        "a to-many fault is one SELECT of the members' keys, and one more for each member that is used; prefetching is one fetch per entity",
        source: "Apple, Core Data Programming Guide, Faulting and Uniquing; Apple, NSFetchRequest")
    case "live-list":
      Resemblance(
        .holds,
        "a fetched results controller follows the objects that its context changes, and fetches no object that is in memory",
        source: "Apple, NSFetchedResultsController")
    case "find-text":
      Resemblance(
        .notComparable,
        "CONTAINS is Core Data's own function, called for every row at an unpublished cost; here it is SQLite's instr",
        source: "nothing found")
    case "value-size":
      Resemblance(
        .holds,
        "a value is in its row, as without Allows External Storage; with it, Core Data decides by an unknown size",
        source: "bluecrowbar.com (2011); fatbobman.com (2022)")
    case "migrate":
      Resemblance(
        .holds, "inferred migration changes the store in place, by SQL alone, without objects",
        source: "Apple, Core Data Model Versioning and Data Migration, Lightweight Migration")
    default: Resemblance(.notComparable, "this workload was not compared with Core Data", source: "not judged")
    }
  }

  /// Returns the id by which a workload is judged: usually the workload's own id. If options change the work, the id of
  /// similar work, such as `batch insertion`.
  private static func judgedAs(_ workload: Spec, in storeOptions: Options) -> String {
    let options = workload.options
    // The option `by` selects the other method: a batch request for an import, or single deletions for a purge.
    let isOtherWay = options.names.contains("by")
    let isImport = ["import", "refresh"].contains(workload.id)
    if storeOptions[store] != "sqlite" {
      let isByRequest = isImport && isOtherWay || workload.id == "purge" && !isOtherWay
      return isByRequest ? "batch request in a file" : "file"
    }
    switch workload.id {
    case "relations" where LinkFetch(options) == .join: return "relations by one fetch"
    case _ where isImport && isOtherWay: return "batch insertion"
    case "value-size" where storeOptions[blobs] == "external": return "external value"
    case "purge" where isOtherWay: return "cascade"
    case "refresh" where ["replace", "wipe"].contains { options.description.contains("way=\($0)") }: return "cascade"
    case "find-text" where options.names.contains("do") && !options.names.contains("index"): return "save-one"
    case "mix":
      if options.names.contains("insert") || ["ycsb=d", "ycsb=e"].contains(options.description) { return "insert-one" }
      let isReading =
        options.description == "ycsb=c"
        || options.names.contains { ["read", "scan"].contains($0) }
          && !options.names.contains { ["update", "rmw"].contains($0) }
      return isReading ? "read-one" : "save-one"
    default: return workload.id
    }
  }
}
