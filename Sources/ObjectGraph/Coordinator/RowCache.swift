import Foundation
import Synchronization

/// An object of a managed object context, with the properties that ``RowCache`` uses. This cache keeps the rows that
/// contexts have read and saved.
protocol CachedObject: AnyObject {
  var objectID: ManagedObjectID { get }
  var row: Row? { get }
  /// The page of the row cache (a block of 32 entries) that contains the entry of this object. Only the row cache sets
  /// the property.
  var cachePage: Unmanaged<RowCache.Page>? { get set }
}

/// The rows that the contexts of a coordinator have read and saved (Core Data's row cache). A fault, an object whose
/// values were not accessed yet, takes its row from the cache if possible. A fetch always reads the store, and adds its
/// rows to the cache.
///
/// A row is cached while some context has the object, so the cache is never larger than the contents of the contexts.
/// If a context and the cache have the same row, they share its memory.
///
/// Adding and removing must be cheap, because a fetch adds every object and the release of an object removes it. Rows
/// are therefore stored in pages by key, a fetch adds the objects of a page at once, and an object refers to its page.
final class RowCache: Sendable {
  /// The token of a read: the number of saves before the read. After a further save, the rows read may be outdated.
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

  /// A part of the row cache: one of 16 groups of pages. Each group and each page has a lock, so that threads rarely
  /// wait for each other. A thread that needs both takes the lock of the group first.
  private final class Part: @unchecked Sendable {
    // Sendable because mutable state is used only while the group is locked.

    let lock = CacheLock()
    @exclusivity(unchecked) var pages: [PageID: Page] = [:]
    /// The ID of the page that became empty last. It is kept, because reading objects one by one would often create it
    /// again.
    @exclusivity(unchecked) var empty: PageID?
    /// A removed page, to be used again as the next new page, because allocating a page takes as long as reading a row.
    /// Nil if there is none.
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

  /// Returns a token for a read of a store, which shows later whether a save has run since. Must be called before the
  /// read.
  @inline(__always)
  func startReading() -> Reading { Reading(saves: saves.load(ordering: .acquiring)) }

  /// Counts a save, so that earlier reads count as outdated. Must be called before ``learn(_:_:)`` and ``forget(_:)``.
  func didSave() { saves.add(1, ordering: .acquiringAndReleasing) }

  // MARK: - Objects

  /// Adds objects of a context to the cache, with their rows. Objects that are already in the cache stay unchanged.
  ///
  /// - Parameter reading: The token of the read that found the rows. Nil if the rows must not be cached.
  func add<Object: CachedObject>(_ objects: ArraySlice<Object>, _ reading: Reading?) {
    var start = objects.startIndex
    while start < objects.endIndex {
      let pageID = PageID(objects[start].objectID)
      var end = start + 1
      while end < objects.endIndex, PageID(objects[end].objectID) == pageID { end += 1 }
      let part = part(pageID)
      part.lock.withLock {
        let page = part.page(pageID)
        page.lock.withLock {
          for object in objects[start..<end] { enter(object, page, reading) }
        }
      }
      start = end
    }
  }

  func add(_ object: some CachedObject, _ reading: Reading?) {
    let pageID = PageID(object.objectID)
    let part = part(pageID)
    part.lock.withLock {
      let page = part.page(pageID)
      page.lock.withLock { enter(object, page, reading) }
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

  /// Removes an object that its context no longer has. If no other context has the object, its row is removed as well.
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

  /// Caches a row that a save has written, or has read from the store, unless the cache already has a newer version of
  /// the row.
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

  func forgetAll() {
    for part in parts {
      part.lock.withLock {
        for page in part.pages.values {
          page.lock.withLock { for index in 0..<Page.size { page.entries[index].row = nil } }
        }
      }
    }
  }

  /// Caches a row that was read from a store. If a save has run since the read began, the row replaces only a cached
  /// version that is older or equal. Without a cached version, it is then dropped, because the object may have been
  /// deleted.
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

/// A lock that the thread sanitizer supports. The sanitizer does not support a `Mutex` for which threads are waiting.
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
