import StorageContract

/// The least that objects over SQLite can do and still be what an object graph is for: one object for one key, held
/// weakly; values that are read when they are first asked for; a set of what has changed; whoever watches an object or
/// a save is told. No relationships, conflicts, validation, undo, or other threads: what the object graph takes beyond
/// this is its own.
final class PlainContext {
  private let store: any StorageBackend
  private var registered: [Int64: WeakObject] = [:]
  private var changed: [PlainObject] = []
  private var observers: [([Int64]) -> Void] = []

  private struct WeakObject {
    weak var object: PlainObject?
  }

  init(_ store: any StorageBackend) { self.store = store }

  /// Tells of each save which keys it has written.
  func observe(_ observer: @escaping ([Int64]) -> Void) { observers.append(observer) }

  /// The object of a key, a fault if it is not here.
  func object(_ key: Int64) -> PlainObject {
    if let object = registered[key]?.object { return object }
    let object = PlainObject(key, nil, self)
    registered[key] = WeakObject(object: object)
    return object
  }

  /// A new object, to be saved.
  func insert(_ record: Record) -> PlainObject {
    let object = PlainObject(record.id, record, self)
    registered[record.id] = WeakObject(object: object)
    didChange(object)
    return object
  }

  /// All objects, their values read.
  func all() throws -> [PlainObject] {
    try store.records(.all, in: .records).map { record in
      if let object = registered[record.id]?.object {
        object.snapshot = record
        return object
      }
      let object = PlainObject(record.id, record, self)
      registered[record.id] = WeakObject(object: object)
      return object
    }
  }

  fileprivate func fire(_ object: PlainObject) throws -> Record? { try store.record(object.key, in: .records) }

  fileprivate func didChange(_ object: PlainObject) {
    guard !object.hasChanges else { return }
    object.hasChanges = true
    changed.append(object)
  }

  /// Saves what has changed, and tells who watches.
  func save() throws {
    try store.commit(changed.compactMap { object in object.current.map { .put($0) } })
    for object in changed {
      object.snapshot = object.current
      object.hasChanges = false
    }
    let keys = changed.map(\.key)
    changed = []
    for observer in observers { observer(keys) }
  }

  /// Lets go of objects that nobody holds.
  func forgetReleased() { registered = registered.filter { $0.value.object != nil } }
}

/// One object: what the store has of it, and what it is now.
final class PlainObject {
  let key: Int64
  fileprivate var snapshot: Record?
  fileprivate var current: Record?
  fileprivate var hasChanges = false
  private unowned let context: PlainContext
  private var watchers: [(PlainObject) -> Void] = []

  fileprivate init(_ key: Int64, _ record: Record?, _ context: PlainContext) {
    (self.key, snapshot, current, self.context) = (key, record, record, context)
  }

  /// Its values; read now if it is a fault.
  func values() throws -> Record? {
    if current == nil {
      snapshot = try context.fire(self)
      current = snapshot
    }
    return current
  }

  /// Changes it, and tells who watches.
  func change(_ body: (inout Record) -> Void) throws {
    guard var record = try values() else { return }
    for watcher in watchers { watcher(self) }
    body(&record)
    current = record
    context.didChange(self)
  }
}
