import Foundation
import Synchronization

/// The rows that the contexts of a coordinator have read and saved (Core Data's row cache): filling a fault looks here
/// first. A fetch always asks the store, and what it finds comes here.
///
/// A row is here for as long as some context has the object, faults included, so that the cache is never larger than
/// what contexts hold; a context and the cache share one row where they have the same.
final class RowCache: Sendable {
  /// When something was read, to tell whether it can be older than what has been saved since.
  struct Reading {
    fileprivate let saves: Int
    fileprivate let time: UInt32
  }

  /// Rows lie side by side as their keys do: objects of neighbouring keys are read together and let go of together.
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
  }

  private struct Entry {
    var row: Row?
    /// How many contexts have the object.
    var count: UInt32 = 0
    /// When the row was read, in hundredths of a second.
    var time: UInt32 = 0
  }

  private final class Page {
    static let size = 32
    let entries = UnsafeMutablePointer<Entry>.allocate(capacity: size)
    /// How many objects some context has.
    var used = 0

    init() { entries.initialize(repeating: Entry(), count: Self.size) }

    deinit {
      entries.deinitialize(count: Self.size)
      entries.deallocate()
    }
  }

  /// A part of the pages with a lock of its own, so that threads hardly ever wait for each other.
  private final class Part: @unchecked Sendable {
    // Sendable because the pages are used under the lock.

    private let lock = Mutex(())
    @exclusivity(unchecked) private var pages: [PageID: Page] = [:]
    /// The one that was used last.
    @exclusivity(unchecked) private var last: (id: PageID, page: Page)?

    /// Runs the block with the entry of an object, if there is one or it is made.
    @inline(__always)
    func withEntry(
      _ id: ManagedObjectID, isNew: Bool, _ pageID: PageID, _ body: (Page, UnsafeMutablePointer<Entry>) -> Row?
    ) -> Row? {
      lock.withLock { _ in
        guard let page = page(pageID, isNew) else { return nil }
        let row = body(page, page.entries + Int(id.key & 31))
        if page.used == 0 {
          pages[pageID] = nil
          last = nil
        }
        return row
      }
    }

    @inline(__always)
    private func page(_ id: PageID, _ isNew: Bool) -> Page? {
      if let last, last.id == id { return last.page }
      guard let page = pages[id] ?? (isNew ? Page() : nil) else { return nil }
      if isNew { pages[id] = page }
      last = (id, page)
      return page
    }

    func forgetAll() {
      lock.withLock { _ in
        for page in pages.values {
          for place in 0..<Page.size { page.entries[place].row = nil }
        }
      }
    }
  }

  private let parts = (0..<16).map { _ in Part() }
  private let saves = Atomic(0)

  /// Call it before reading what goes here.
  @inline(__always)
  func startReading() -> Reading { Reading(saves: saves.load(ordering: .acquiring), time: Self.now) }

  /// The store has other rows than before; call it before ``learn(_:_:)`` and ``forget(_:)`` tell which.
  func didSave() { saves.add(1, ordering: .acquiringAndReleasing) }

  /// A context has the object from now on.
  func add(_ id: ManagedObjectID, _ row: Row?, _ reading: Reading?) {
    _ = withEntry(id, isNew: true) { page, entry in
      if entry.pointee.count == 0 { page.used += 1 }
      entry.pointee.count += 1
      guard let row, let reading else { return Row?.none }
      return fill(entry, row, reading)
    }
  }

  /// A context has read the object's row.
  func put(_ id: ManagedObjectID, _ row: Row, _ reading: Reading) {
    _ = withEntry(id) { _, entry in entry.pointee.count == 0 ? nil : fill(entry, row, reading) }
  }

  /// A save has written the row, or found it.
  func learn(_ id: ManagedObjectID, _ row: Row) {
    let now = Self.now
    _ = withEntry(id) { _, entry in
      guard entry.pointee.count > 0, entry.pointee.row.map({ $0.version <= row.version }) ?? true else {
        return Row?.none
      }
      return Self.replace(entry, row, now)
    }
  }

  /// Nobody is to have the row from here.
  func forget(_ id: ManagedObjectID) { _ = withEntry(id) { _, entry in Self.replace(entry, nil, 0) } }

  /// A context has let go of the object.
  func remove(_ id: ManagedObjectID) {
    _ = withEntry(id) { page, entry in
      guard entry.pointee.count > 0 else { return Row?.none }
      entry.pointee.count -= 1
      guard entry.pointee.count == 0 else { return nil }
      page.used -= 1
      return Self.replace(entry, nil, 0)
    }
  }

  /// The row of an object.
  ///
  /// - Parameter age: How many seconds old it may be; any age if negative.
  func row(for id: ManagedObjectID, age: Double) -> Row? {
    if age == 0 { return nil }
    let oldest = age < 0 ? 0 : Double(Self.now) - age * 100
    return withEntry(id) { _, entry in Double(entry.pointee.time) < oldest ? nil : entry.pointee.row }
  }

  /// Forgets all rows: a store has been closed.
  func forgetAll() {
    for part in parts { part.forgetAll() }
  }

  /// - Returns: The row that was there. Where something has been saved since the reading began, only what is no older than
  ///   the row here is taken, and nothing where there is none: it may have been deleted.
  @inline(__always)
  private func fill(_ entry: UnsafeMutablePointer<Entry>, _ row: Row, _ reading: Reading) -> Row? {
    if saves.load(ordering: .acquiring) != reading.saves {
      guard let present = entry.pointee.row, present.version <= row.version else { return nil }
    }
    return Self.replace(entry, row, reading.time)
  }

  @inline(__always)
  private static func replace(_ entry: UnsafeMutablePointer<Entry>, _ row: Row?, _ time: UInt32) -> Row? {
    let former = entry.pointee.row
    entry.pointee.row = row
    entry.pointee.time = time
    return former
  }

  /// Runs the block with the entry of an object, if there is one or it is made.
  ///
  /// - Returns: What the block returns: a row that is to be freed after the lock.
  @inline(__always)
  private func withEntry(
    _ id: ManagedObjectID, isNew: Bool = false, _ body: (Page, UnsafeMutablePointer<Entry>) -> Row?
  ) -> Row? {
    let page = PageID(id)
    return parts[Int(truncatingIfNeeded: page.number) & 15].withEntry(id, isNew: isNew, page, body)
  }

  /// In hundredths of a second, from some time on. The coarse clock will do, and costs next to nothing.
  @inline(__always)
  private static var now: UInt32 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
    return UInt32(truncatingIfNeeded: time.tv_sec * 100 + time.tv_nsec / 10_000_000) &+ 1
  }
}
