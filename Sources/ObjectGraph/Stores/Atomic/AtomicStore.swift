import Foundation

/// A store that keeps all rows in memory. If the store has a file, opening reads the whole file, and each save writes
/// the whole file. Only one thread at a time has access.
final class AtomicStore: StoreEngine, StoreReader {
  private let lock = NSRecursiveLock()
  let identifier: StoreIdentifier
  let model: ManagedObjectModel
  let settings: String
  @exclusivity(unchecked) private(set) var contents: StoreContents
  private var file: AtomicStoreFile?
  private let options: StoreOptions
  /// The indexes created so far: one dictionary per entity, by the list of indexed columns.
  @exclusivity(unchecked) private var indexes: [[[Int]: KeyMap<IndexKey>]]
  /// Closures that revert the changes of the running transaction, in the order of the changes. Nil without a
  /// transaction.
  @exclusivity(unchecked) private var undo: [() -> Void]?
  private var isClosed = false

  init(at url: URL?, _ type: StoreType, _ model: ManagedObjectModel, _ options: StoreOptions) throws {
    self.model = model
    self.options = options
    settings = "format=" + (type == .inMemory ? "memory" : "\(type) synchronous=\(options.synchronous)")
    file = url.map { AtomicStoreFile(at: $0, type) }
    contents = try file?.load(for: model, options) ?? StoreContents(model)
    identifier = StoreIdentifier(contents.identifier)
    indexes = Array(repeating: [:], count: model.entities.count)
  }

  var fileName: String { file?.name ?? "memory" }

  /// Whether a save commits the primary keys of new objects first, in a separate transaction. False, because each
  /// commit writes the whole file.
  var takesKeysSeparately: Bool { false }

  func row(_ key: Int64, _ entity: Entity) -> Row? { contents[entity].rows[key] }

  func keys(_ entity: Entity, at columnIndex: Int, of value: Value) -> [Int64] {
    IndexKey(value).map { index(entity, [columnIndex])[$0] } ?? []
  }

  /// Returns the sorted keys of the objects to which a to-many relationship leads. Keys of deleted objects may be
  /// included.
  func destinations(_ relationship: Relationship, from key: Int64) -> [Int64] {
    switch relationship.storage {
    case .column: return []
    case .inverseColumn:
      guard case .column(let columnIndex)? = model.inverse(of: relationship)?.storage else { return [] }
      return keys(model.destination(of: relationship), at: columnIndex, of: .integer(key))
    case .joinTable(let table, let writes):
      return (writes ? contents.pairs[table.name]?.destinations[key] : contents.pairs[table.name]?.sources[key]) ?? []
    }
  }

  func index(_ entity: Entity, _ columnIndices: [Int]) -> KeyMap<IndexKey> {
    if let index = indexes[entity.number - 1][columnIndices] { return index }
    var index = KeyMap<IndexKey>()
    for (key, row) in contents[entity].rows {
      if let value = IndexKey(row, columnIndices) { index.set(key, for: value, isThere: true) }
    }
    indexes[entity.number - 1][columnIndices] = index
    return index
  }

  func borrowReader() throws -> any StoreReader {
    lock.lock()
    if !isClosed { return self }
    lock.unlock()
    throw ObjectGraphError.store(file: fileName, "the store is not open any more")
  }

  func giveBack(_ reader: any StoreReader) { lock.unlock() }

  func snapshot() -> (any PinnedSnapshot)? { nil }
  func settle() {}

  func close() {
    lock.withLock {
      isClosed = true
      contents = StoreContents(model)
      indexes = Array(repeating: [:], count: model.entities.count)
    }
  }

  var transactionReader: any StoreReader { self }

  func begin() throws {
    try require(undo == nil, .busy(file: fileName, "a transaction is under way; a batch request's block cannot save"))
    // The lock is held until ``commit()`` or ``rollback()``.
    lock.lock()
    undo = []
  }

  func commit() throws {
    try file?.save(contents, options.synchronous)
    undo = nil
    lock.unlock()
  }

  func rollback() {
    guard let undo else { return }
    self.undo = nil
    for step in undo.reversed() { step() }
    lock.unlock()
  }

  func allocateKeys(_ count: Int, _ entity: Entity) throws -> Int64 {
    let last = contents[entity].lastKey
    contents[entity].lastKey = last + Int64(count)
    // If keys are allocated separately, a failed save does not release them, as in a database.
    if options.keys == .joined { undo?.append { [unowned self] in contents[entity].lastKey = last } }
    return last + 1
  }

  private func change(_ key: Int64, _ entity: Entity, to row: Row?) {
    let old = put(row, key, entity)
    undo?.append { [unowned self] in put(old, key, entity) }
  }

  @discardableResult
  private func put(_ row: Row?, _ key: Int64, _ entity: Entity) -> Row? {
    let old = contents[entity].rows[key]
    contents[entity].rows[key] = row
    let number = entity.number - 1
    // Iterates over a copy, so that each index is changed in place.
    for columnIndices in Array(indexes[number].keys) {
      let before = old.flatMap { IndexKey($0, columnIndices) }
      let after = row.flatMap { IndexKey($0, columnIndices) }
      guard before != after else { continue }
      if let before { indexes[number][columnIndices]?.set(key, for: before, isThere: false) }
      if let after { indexes[number][columnIndices]?.set(key, for: after, isThere: true) }
    }
    return old
  }

  private func change(_ link: StoreChanges.Link, isThere: Bool) {
    guard case .joinTable(let table, let writes) = link.relationship.storage else { return }
    let name = table.name
    let (source, destination) = writes ? (link.source, link.destination) : (link.destination, link.source)
    guard contents.pairs[name, default: StoredPairs()].set(source, destination, isThere: isThere) else { return }
    undo?.append { [unowned self] in contents.pairs[name]?.set(source, destination, isThere: !isThere) }
  }

  func write(_ changes: StoreChanges, _ presentID: PresentID) throws {
    var conflicts: [MergeConflict] = []
    func isCurrent(_ id: ManagedObjectID, _ version: Int64?, _ stored: Row?) -> Bool {
      if version == stored?.version { return true }
      conflicts.append(MergeConflict(objectID: id, oldVersion: version ?? 0, persistedSnapshot: stored))
      return false
    }
    for (id, version) in changes.deleted {
      // An object that another writer has already deleted needs no change.
      guard let stored = row(id.key, id.entity), isCurrent(id, version ?? stored.version, stored) else { continue }
      change(id.key, id.entity, to: nil)
    }
    for update in changes.updated {
      let stored = row(update.id.key, update.id.entity)
      if isCurrent(update.id, update.old?.version, stored) { change(update.id.key, update.id.entity, to: update.new) }
    }
    guard conflicts.isEmpty else { throw ObjectGraphError.conflicts(conflicts) }
    for rows in changes.inserted {
      for (index, values) in rows.values.enumerated() {
        change(rows.firstKey + Int64(index), rows.entity, to: Row(version: 1, values: values))
      }
    }
    // Uniqueness is checked after all writes, because one object may have taken the value of another one.
    let check = UniquenessCheck(origin: identifier) { [self] entity, columnIndices, values, body in
      let index = index(entity, columnIndices)
      for (number, value) in values.enumerated() where index.keys[value, default: []].count > 1 {
        for key in index[value] { if let row = row(key, entity) { body((number, key, row)) } }
      }
    }
    let shared = try check.conflicts(in: changes, presentID)
    guard shared.isEmpty else { throw ObjectGraphError.constraints(shared) }
    for link in changes.removedLinks { change(link, isThere: false) }
    for link in changes.addedLinks { change(link, isThere: true) }
  }

  func insert(_ rows: BatchObject, key: Int64) throws -> Int64? {
    let (entity, values) = (rows.entity, rows.values)
    var changes = StoreChanges()
    // The key of the stored row with the same unique values as the new row. The first constraint has priority.
    let constraints = rows.resolvesConflicts ? entity.constraints : []
    let holder = constraints.lazy.compactMap { columnIndices in
      IndexKey(values, columnIndices).flatMap { self.index(entity, columnIndices)[$0].first }
    }.first
    if let holder, let old = row(holder, entity) {
      let columnIndices = rows.replacedIndices
      guard !columnIndices.isEmpty else { return nil }
      let new = Row(version: old.version + 1, count: values.count) {
        columnIndices.contains($0) ? values[$0] : old[$0]
      }
      let id = ManagedObjectID(entity: entity, origin: identifier, key: holder)
      changes.updated = [.init(id: id, old: old, new: new, columns: columnIndices)]
    } else {
      changes.inserted = [.init(entity: entity, firstKey: key, values: [values][...])]
    }
    try write(changes) { $0 }
    return changes.updated.first?.id.key ?? key
  }

  func delete(_ request: StoreRequest) throws -> Int {
    let keys = try keys(request)
    for key in keys { change(key, request.entity, to: nil) }
    return keys.count
  }
}
