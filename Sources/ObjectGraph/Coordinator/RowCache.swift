import Foundation
import Synchronization

/// An object whose row can be in the row cache.
protocol CachedObject: AnyObject {
  var objectID: ManagedObjectID { get }
  var row: Row? { get }
  /// The page of the row cache that has this object's entry. Only the row cache sets this property.
  var cachePage: Unmanaged<RowCache.Page>? { get set }
}

/// A cache of the rows that contexts of one coordinator have read and saved. A row is cached while some context has its
/// object.
final class RowCache: Sendable {
  /// The number of saves at the start of a read from a store. If the number has increased since, the rows that were
  /// read may be outdated.
  struct Reading {
    fileprivate let saves: Int
  }

  private struct PageID: Hashable {
    let origin: StoreIdentifier
    let entity: Int
    let number: Int64

    @inline(__always)
    init(_ id: ManagedObjectID) {
      origin = id.origin
      entity = id.entity.number
      number = id.key >> 5
    }

    func hash(into hasher: inout Hasher) {
      // The store is not hashed, because several stores under one coordinator are rare.
      hasher.combine(number &* 1024 &+ Int64(entity))
    }
  }

  fileprivate struct Entry {
    var row: Row?
    var count = 0
  }

  /// A block of the row cache: the entries of 32 consecutive keys of one entity.
  final class Page: @unchecked Sendable {
    // Sendable because mutable state is used only while the page is locked.

    fileprivate static let size = 32
    fileprivate let lock = CacheLock()
    fileprivate let entries = UnsafeMutablePointer<Entry>.allocate(capacity: size)
    @exclusivity(unchecked) fileprivate var used = 0

    fileprivate init() { entries.initialize(repeating: Entry(), count: Self.size) }

    deinit {
      entries.deinitialize(count: Self.size)
      entries.deallocate()
    }

    @inline(__always)
    fileprivate func entry(_ id: ManagedObjectID) -> UnsafeMutablePointer<Entry> { entries + Int(id.key & 31) }
  }

  /// One of the 16 parts of the row cache, each with a lock. Each page (32 rows) also has a lock. A thread that needs
  /// both locks takes the part's lock first.
  private final class Part: @unchecked Sendable {
    // Sendable because mutable state is used only while the part is locked.

    let lock = CacheLock()
    @exclusivity(unchecked) var pages: [PageID: Page] = [:]
    /// The ID of the last page that became empty. The page is not removed yet, because it is often needed again.
    @exclusivity(unchecked) var empty: PageID?
    /// A removed page, kept for reuse, because allocating a new page takes time. Nil if there is none.
    @exclusivity(unchecked) private var spare: Page?

    @inline(__always)
    func page(_ id: PageID) -> Page {
      if let page = pages[id] { return page }
      let page = spare ?? Page()
      spare = nil
      pages[id] = page
      return page
    }

    func drop(_ id: PageID) {
      guard let index = pages.index(forKey: id) else { return }
      let page = pages.values[index]
      guard page.lock.withLock({ page.used == 0 }) else { return }
      pages.remove(at: index)
      spare = page
    }
  }

  private let parts = (0..<16).map { _ in Part() }
  private let saves = Atomic(0)

  /// Returns a token for the start of a read. With the token, the cache recognizes rows that a later save may have
  /// changed.
  @inline(__always)
  func startReading() -> Reading { Reading(saves: saves.load(ordering: .acquiring)) }

  /// Counts a save. Must be called before ``learn(_:_:)`` and ``forget(_:)`` for the rows of the save.
  func didSave() { saves.add(1, ordering: .acquiringAndReleasing) }

  // MARK: - Objects

  /// Adds objects of a context, and their rows, to the cache. Objects that are already in the cache are skipped.
  ///
  /// - Parameter reading: The token of ``startReading()`` from before the rows were read. If nil, the rows are not
  ///   cached.
  func add<Object: CachedObject>(_ objects: ArraySlice<Object>, _ reading: Reading?) {
    var start = objects.startIndex
    while start < objects.endIndex {
      let pageID = PageID(objects[start].objectID)
      var end = start + 1
      while end < objects.endIndex, PageID(objects[end].objectID) == pageID { end += 1 }
      withPage(pageID) { page in
        for object in objects[start..<end] { enter(object, page, reading) }
      }
      start = end
    }
  }

  func add(_ object: some CachedObject, _ reading: Reading?) {
    withPage(PageID(object.objectID)) { enter(object, $0, reading) }
  }

  @inline(__always)
  private func withPage(_ id: PageID, _ body: (Page) -> Void) {
    let part = part(id)
    part.lock.withLock {
      let page = part.page(id)
      page.lock.withLock { body(page) }
    }
  }

  @inline(__always)
  private func enter(_ object: some CachedObject, _ page: Page, _ reading: Reading?) {
    guard object.cachePage == nil else { return }
    let entry = page.entry(object.objectID)
    if entry.pointee.count == 0 { page.used += 1 }
    entry.pointee.count += 1
    object.cachePage = Unmanaged.passUnretained(page)
    if let reading, let row = object.row { fill(entry, row, reading) }
  }

  @inline(__always)
  func put(_ object: some CachedObject, _ row: Row, _ reading: Reading) {
    guard let page = object.cachePage?.takeUnretainedValue() else { return }
    page.lock.withLock { fill(page.entry(object.objectID), row, reading) }
  }

  /// Removes an object from the cache. The object's row is also removed, unless another context has an object for the
  /// row.
  @inline(__always)
  func remove(_ object: some CachedObject) {
    // Retained, because another thread may release the page at any moment.
    guard let page = object.cachePage?.takeUnretainedValue() else { return }
    object.cachePage = nil
    let entry = page.entry(object.objectID)
    var row: Row?
    let isEmpty = page.lock.withLock {
      entry.pointee.count -= 1
      guard entry.pointee.count == 0 else { return false }
      // The row is freed after the lock is released.
      swap(&row, &entry.pointee.row)
      page.used -= 1
      return page.used == 0
    }
    if isEmpty { drop(PageID(object.objectID)) }
  }

  @inline(never)
  private func drop(_ id: PageID) {
    let part = part(id)
    part.lock.withLock {
      let former = part.empty
      part.empty = id
      if let former, former != id { part.drop(former) }
    }
  }

  func row(of object: some CachedObject) -> Row? {
    guard let page = object.cachePage?.takeUnretainedValue() else { return nil }
    let entry = page.entry(object.objectID)
    return page.lock.withLock { entry.pointee.row }
  }

  /// Caches the row of an object, unless the cache already has a newer version of the row.
  func learn(_ object: some CachedObject, _ row: Row) {
    guard let page = object.cachePage?.takeUnretainedValue() else { return }
    let entry = page.entry(object.objectID)
    page.lock.withLock {
      guard entry.pointee.row.map({ $0.version <= row.version }) ?? true else { return }
      entry.pointee.row = row
    }
  }

  // MARK: - IDs

  func forget(_ id: ManagedObjectID) {
    let part = part(PageID(id))
    guard let page = part.lock.withLock({ part.pages[PageID(id)] }) else { return }
    page.lock.withLock { page.entry(id).pointee.row = nil }
  }

  /// Empties the cache. Counts as a save, because the rows that running reads have found may be outdated.
  func forgetAll() {
    didSave()
    for part in parts {
      part.lock.withLock {
        for page in part.pages.values {
          page.lock.withLock { for index in 0..<Page.size { page.entries[index].row = nil } }
        }
      }
    }
  }

  /// Caches a row read from a store. If there was a save since the start of the read, the row is cached only if the
  /// cache has the same or an older version of the row.
  @inline(__always)
  private func fill(_ entry: UnsafeMutablePointer<Entry>, _ row: Row, _ reading: Reading) {
    if saves.load(ordering: .acquiring) != reading.saves {
      guard let present = entry.pointee.row, present.version <= row.version else { return }
    }
    entry.pointee.row = row
  }

  @inline(__always)
  private func part(_ id: PageID) -> Part { parts[Int(truncatingIfNeeded: id.number) & 15] }
}

/// A lock for the row cache. Unlike `Mutex`, it works with the thread sanitizer.
fileprivate struct CacheLock: ~Copyable, @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  init() {
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  @inline(__always)
  borrowing func withLock<Result>(_ body: () -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }
}
