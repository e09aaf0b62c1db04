import StorageContract

/// The LevelDB objects that a store creates once and reuses: the options for opening, reading and writing, and a write
/// batch.
final class LevelDBObjects {
  private let library: LevelDBLibrary
  let opening: OpaquePointer
  private let filter: OpaquePointer?
  private let cache: OpaquePointer?
  let reading: OpaquePointer
  let writing: OpaquePointer
  let batch: OpaquePointer
  let settings: String

  init(_ library: LevelDBLibrary, _ environment: StoreEnvironment) {
    let isCompressed = environment.options[LevelDBBackend.compression] == "snappy"
    let isVerified = environment.options[LevelDBBackend.verify] == "yes"
    let isSynced = environment.durability == .intact || environment.durability == .durable
    self.library = library
    opening = library.makeOptions()
    library.setCreateIfMissing(opening, 1)
    // `paranoid_checks` stays off. Otherwise, LevelDB would refuse to open a store after a power cut that interrupted
    // the last save.
    library.setCompression(opening, isCompressed ? 1 : 0)
    // The filter has ten bits per key, as in LevelDB's documentation (doc/index.md, Filters).
    filter = environment.options[LevelDBBackend.filter] == "bloom" ? library.makeBloomFilter(10) : nil
    if let filter { library.setFilter(opening, filter) }
    let size = environment.options[LevelDBBackend.cache]
    cache = size == LevelDBBackend.cache.defaultValue ? nil : Quantity.bytes(size).map(library.makeCache)
    if let cache { library.setCache(opening, cache) }
    reading = library.makeReadOptions()
    library.setVerifyChecksums(reading, isVerified ? 1 : 0)
    writing = library.makeWriteOptions()
    library.setSync(writing, isSynced ? 1 : 0)
    batch = library.makeBatch()
    settings = """
      sync=\(isSynced ? "yes" : "no") compression=\(isCompressed ? "snappy" : "no") \
      filter=\(filter == nil ? "no" : "bloom bits_per_key=10") \
      verify_checksums=\(isVerified ? "yes" : "no") paranoid_checks=no\
      \(cache == nil ? "" : " cache=\(size)")
      """
  }

  deinit {
    library.endBatch(batch)
    library.endOptions(opening)
    if let filter { library.endFilter(filter) }
    if let cache { library.endCache(cache) }
    library.endReadOptions(reading)
    library.endWriteOptions(writing)
  }
}
