import Foundation
import Synchronization

/// The facts about an object in a context that the cache needs.
protocol CachedObject: AnyObject {
  var objectID: ManagedObjectID { get }
  var row: Row? { get }
  /// The page of the cache that it has entered; the cache's own.
  var cachePage: Unmanaged<RowCache.Page>? { get set }
}

/// The rows that the contexts of a coordinator have read and saved (Core Data's row cache): filling a fault looks here
/// first. A fetch always asks the store, and what it finds comes here.
///
/// A row is here for as long as some context has the object, faults included, so that the cache is never larger than
/// what contexts hold; a context and the cache share one row where they have the same.
///
/// A fetch enters every object here and each object leaves when it goes, which has to cost next to nothing: so rows lie in
/// pages by their keys, a fetch enters a page's objects at once, and an object keeps its page.
final class RowCache: Sendable {
  /// When something was read, to tell whether it can be older than what has been saved since.
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
      // Two stores under one coordinator are rare: their pages may collide.
      hasher.combine(number &* 1024 &+ Int64(entity))
    }
  }

  fileprivate struct Entry {
    var row: Row?
    /// The number of contexts that have the object.
    var count = 0
  }

  /// The entries of 32 keys that follow each other.
  final class Page: @unchecked Sendable {
    // Sendable because what changes is used under the lock.

    fileprivate static let size = 32
    fileprivate let lock = CacheLock()
    fileprivate let entries = UnsafeMutablePointer<Entry>.allocate(capacity: size)
    /// The number of objects that some context has.
    @exclusivity(unchecked) fileprivate var used = 0

    fileprivate init() { entries.initialize(repeating: Entry(), count: Self.size) }

    deinit {
      entries.deinitialize(count: Self.size)
      entries.deallocate()
    }

    @inline(__always)
    fileprivate func entry(_ id: ManagedObjectID) -> UnsafeMutablePointer<Entry> { entries + Int(id.key & 31) }
  }

  /// Some of the pages, with a lock of their own, so that threads hardly ever wait for each other. It is taken before a
  /// page's.
  private final class Part: @unchecked Sendable {
    // Sendable because what changes is used under the lock.

    let lock = CacheLock()
    @exclusivity(unchecked) var pages: [PageID: Page] = [:]
    /// The page that became empty last. It is kept, because reading objects one by one would recreate it each time.
    @exclusivity(unchecked) var empty: PageID?
    /// A page that has gone, for the next one: to free it and to make another one would cost as much as a read.
    @exclusivity(unchecked) private var spare: Page?

    /// Returns a page, which somebody is about to enter.
    @inline(__always)
    func page(_ id: PageID) -> Page {
      if let page = pages[id] { return page }
      let page = spare ?? Page()
      spare = nil
      pages[id] = page
      return page
    }

    /// Lets a page go if it is empty; somebody may have entered an object meanwhile.
    func drop(_ id: PageID) {
      guard let place = pages.index(forKey: id) else { return }
      let page = pages.values[place]
      guard page.lock.withLock({ page.used == 0 }) else { return }
      pages.remove(at: place)
      spare = page
    }
  }

  private let parts = (0..<16).map { _ in Part() }
  private let saves = Atomic(0)

  /// Call it before reading what goes here.
  @inline(__always)
  func startReading() -> Reading { Reading(saves: saves.load(ordering: .acquiring)) }

  /// The store has other rows than before; call it before ``learn(_:_:)`` and ``forget(_:)`` tell which.
  func didSave() { saves.add(1, ordering: .acquiringAndReleasing) }

  // MARK: - Objects

  /// A context has these objects from now on; those that it had before are as they were.
  ///
  /// - Parameter reading: When their rows were read, if others may have them, too.
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

  /// A context has an object from now on; as ``add(_:_:)-(ArraySlice<Object>,_)``, without a list.
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

  /// A context has read the row of an object.
  @inline(__always)
  func put(_ object: some CachedObject, _ row: Row, _ reading: Reading) {
    guard let page = object.cachePage?.takeUnretainedValue() else { return }
    page.lock.withLock { fill(page.entry(object.objectID), row, reading) }
  }

  /// A context has let go of an object.
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
      // Freed after the lock.
      swap(&row, &entry.pointee.row)
      page.used -= 1
      return page.used == 0
    }
    if isEmpty { drop(PageID(object.objectID)) }
  }

  /// A page is empty: the one that was empty before may go.
  @inline(never)
  private func drop(_ id: PageID) {
    let part = part(id)
    part.lock.withLock {
      let former = part.empty
      part.empty = id
      if let former, former != id { part.drop(former) }
    }
  }

  /// Returns the row of an object.
  func row(of object: some CachedObject) -> Row? {
    guard let page = object.cachePage?.takeUnretainedValue() else { return nil }
    let entry = page.entry(object.objectID)
    return page.lock.withLock { entry.pointee.row }
  }

  /// A save has written the row of an object, or found it.
  func learn(_ object: some CachedObject, _ row: Row) {
    guard let page = object.cachePage?.takeUnretainedValue() else { return }
    let entry = page.entry(object.objectID)
    page.lock.withLock {
      guard entry.pointee.row.map({ $0.version <= row.version }) ?? true else { return }
      entry.pointee.row = row
    }
  }

  // MARK: - IDs

  /// Removes the row of an object.
  func forget(_ id: ManagedObjectID) { withEntry(id) { $0.pointee.row = nil } }

  /// Forgets all rows: a store has been closed.
  func forgetAll() {
    for part in parts {
      part.lock.withLock {
        for page in part.pages.values {
          page.lock.withLock { for place in 0..<Page.size { page.entries[place].row = nil } }
        }
      }
    }
  }

  /// If something was saved since the read began, only rows that are not older than the cached row are accepted. A row
  /// that is not in the cache is rejected: it may have been deleted.
  @inline(__always)
  private func fill(_ entry: UnsafeMutablePointer<Entry>, _ row: Row, _ reading: Reading) {
    if saves.load(ordering: .acquiring) != reading.saves {
      guard let present = entry.pointee.row, present.version <= row.version else { return }
    }
    entry.pointee.row = row
  }

  private func withEntry(_ id: ManagedObjectID, _ body: (UnsafeMutablePointer<Entry>) -> Void) {
    let pageID = PageID(id)
    let part = part(pageID)
    guard let page = part.lock.withLock({ part.pages[pageID] }) else { return }
    page.lock.withLock { body(page.entry(id)) }
  }

  @inline(__always)
  private func part(_ id: PageID) -> Part { parts[Int(truncatingIfNeeded: id.number) & 15] }
}

/// A lock that the thread sanitizer knows; it sees nothing of a `Mutex` for which threads wait.
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
