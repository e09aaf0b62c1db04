/// What a store holds of one object: the snapshot that changes are compared with.
///
/// Rows are shared by all contexts and never change. As long as an object of any context holds one, the coordinator
/// finds it again without asking the store.
final class Row: Sendable {
  /// Z_OPT: 1 when inserted, one more with each saved change.
  let version: Int64
  /// The attributes' values, then the keys that to-one relationships point to, in ``Entity/columns``' order.
  let values: [Value]

  init(version: Int64, values: [Value]) {
    self.version = version
    self.values = values
  }
}

/// What is known by its ID for as long as somebody else holds it.
struct WeakTable<Element: AnyObject> {
  private struct Entry {
    weak var element: Element?
  }

  private var entries: [ManagedObjectID: Entry] = [:]
  /// At this size the dead are swept out; doubled with the living, a sweep costs little per entry.
  private var sweepSize = 256

  subscript(id: ManagedObjectID) -> Element? {
    @inline(__always) get { entries[id]?.element }
    set {
      guard let newValue else {
        entries[id] = nil
        return
      }
      entries[id] = Entry(element: newValue)
      if entries.count >= sweepSize { sweep() }
    }
  }

  /// All that are still there.
  var elements: [Element] { entries.values.compactMap(\.element) }

  /// The number of entries, the dead ones included.
  var count: Int { entries.count }

  mutating func removeAll() {
    entries = [:]
    sweepSize = 256
  }

  private mutating func sweep() {
    let living = entries.filter { $0.value.element != nil }
    // A table that lives on keeps its room.
    if living.count < entries.count { entries = living }
    sweepSize = max(256, living.count * 2)
  }
}
