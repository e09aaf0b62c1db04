import StorageContract

/// A minimal object graph over SQLite with the essential features: one object per key, held weakly; values that are
/// read on first access; a set of changed objects; notifications of observers about objects and saves. It has no
/// relationships, conflicts, validation, undo, or other threads. The object graph is responsible for any cost beyond
/// this.
final class PlainContext {
  private let store: any StorageBackend
  private var registered: [Int64: WeakObject] = [:]
  private var changed: [PlainObject] = []
  private var observers: [([Int64]) -> Void] = []

  private struct WeakObject {
    weak var object: PlainObject?
  }

  init(_ store: any StorageBackend) { self.store = store }

  /// Adds an observer, which receives the keys that each save has written.
  func observe(_ observer: @escaping ([Int64]) -> Void) { observers.append(observer) }

  /// Returns the object with a key, a fault if it is not registered yet.
  func object(_ key: Int64) -> PlainObject {
    if let object = registered[key]?.object { return object }
    let object = PlainObject(key, nil, self)
    registered[key] = WeakObject(object: object)
    return object
  }

  /// Creates an object to be saved.
  func insert(_ record: Record) -> PlainObject {
    let object = PlainObject(record.id, record, self)
    registered[record.id] = WeakObject(object: object)
    didChange(object)
    return object
  }

  /// Returns all objects with their values.
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

  /// Saves the changed objects and notifies the observers.
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

  /// Removes the entries of objects that have been released.
  func forgetReleased() { registered = registered.filter { $0.value.object != nil } }
}

/// One object: its stored values and its current values.
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

  /// Returns the values of the object. They are read now if it is a fault.
  func values() throws -> Record? {
    if current == nil {
      snapshot = try context.fire(self)
      current = snapshot
    }
    return current
  }

  /// Changes the object and notifies its observers.
  func change(_ body: (inout Record) -> Void) throws {
    guard var record = try values() else { return }
    for watcher in watchers { watcher(self) }
    body(&record)
    current = record
    context.didChange(self)
  }
}
