import Foundation

/// A store that is in memory as a whole: read whole when it is opened, written whole by each save, or never.
///
/// Its types differ in the encoding of the file only. All of them behave as ``SQLiteStore`` does: the same rows for the
/// same request, the same conflicts, keys that are never used again.
///
/// Those who read and the one who saves take turns: all of them use the rows and the indexes in memory.
final class AtomicStore: StoreEngine, StoreReader {
  private let lock = NSRecursiveLock()
  let identifier: StoreIdentifier
  let model: ManagedObjectModel
  let settings: String
  /// What it holds, entities and columns in the model's order.
  @exclusivity(unchecked) private(set) var contents: StoreContents
  /// The file, or nil for a store that is in memory only.
  private var file: AtomicStoreFile?
  private let options: StoreOptions
  /// For each entity the indexes that somebody has needed.
  @exclusivity(unchecked) private var indexes: [[Index]]
  /// Where in ``StoreContents/pairs`` those of a join table are.
  private let pairPlaces: [String: Int]
  @exclusivity(unchecked) private var transaction: Transaction?
  private var isClosed = false

  /// The keys of the rows that have the same values in some places.
  private struct Index {
    let places: [Int]
    var keys = KeyMap<IndexKey>()
  }

  private struct Transaction {
    let lastKeys: [Int64]
    /// What undoes the changes, in the order in which they were made.
    var undo: [() -> Void] = []
  }

  /// Opens a store; where there is no file, it is empty, and its first save makes the file.
  ///
  /// - Throws: ``ObjectGraphError``.
  init(at url: URL?, _ type: StoreType, _ model: ManagedObjectModel, _ options: StoreOptions) throws {
    self.model = model
    self.options = options
    contents = StoreContents(model)
    settings = "format=" + (type == .inMemory ? "memory" : "\(type) synchronous=\(options.synchronous)")
    if type != .inMemory {
      guard let url else { throw ObjectGraphError.store(file: "\(type)", "a store of this type needs a file") }
      var file = AtomicStoreFile(at: url, type)
      if let stored = try file.load(for: model, options) {
        contents = stored
      } else if options.isReadOnly {
        throw ObjectGraphError.cannotOpen(file: file.name, "it does not exist, and is opened for reading only")
      }
      self.file = file
    }
    identifier = StoreIdentifier(contents.identifier)
    indexes = Array(repeating: [], count: model.entities.count)
    pairPlaces = Dictionary(
      uniqueKeysWithValues: model.pairedRelationships.enumerated().map { ($0.element.table, $0.offset) })
  }

  /// The file's name, for messages.
  var fileName: String { file?.name ?? "memory" }

  /// The file is written once in each save. There is nothing to commit before: the keys are in it with the objects, as
  /// are those that a failed save has taken when the next one writes.
  var takesKeysSeparately: Bool { false }

  // MARK: - Rows and pairs

  /// The rows of an entity.
  func table(_ entity: Entity) -> RowTable { contents.entities[entity.number - 1].table }

  /// A row, without a search.
  func row(_ key: Int64, _ entity: Entity) -> Row? { contents.entities[entity.number - 1].table[key] }

  /// The keys of the rows that have a value in some column, in order, from an index.
  func keys(_ entity: Entity, at place: Int, of value: Value) -> [Int64] {
    IndexKey(value).map { index(entity, [place])[$0] } ?? []
  }

  /// The keys that a to-many relationship leads to, in order, the dangling ones included.
  func destinations(_ relationship: Relationship, from key: Int64) -> [Int64] {
    switch relationship.storage {
    case .column: return []
    case .inverseColumn:
      guard case .column(let place)? = model.inverse(of: relationship)?.storage else { return [] }
      return keys(model.destination(of: relationship), at: place, of: .integer(key))
    case .joinTable(let name, _, _, let writes):
      guard let place = pairPlaces[name] else { return [] }
      return writes ? contents.pairs[place].destinations[key] : contents.pairs[place].sources[key]
    }
  }

  /// An index, made when it is needed first, and kept up to date from then on.
  func index(_ entity: Entity, _ places: [Int]) -> KeyMap<IndexKey> {
    if let index = indexes[entity.number - 1].first(where: { $0.places == places }) { return index.keys }
    var index = Index(places: places)
    for (key, row) in table(entity) {
      if let value = IndexKey(row.values, places) { index.keys.insert(key, for: value) }
    }
    indexes[entity.number - 1].append(index)
    return index.keys
  }

  // MARK: - Taking turns

  func borrowReader(_ snapshot: (any PinnedSnapshot)?) throws -> any StoreReader {
    lock.lock()
    if !isClosed { return self }
    lock.unlock()
    throw ObjectGraphError.store(file: fileName, "the store is not open any more")
  }

  func giveBack(_ reader: any StoreReader, _ snapshot: (any PinnedSnapshot)?) { lock.unlock() }

  /// It has one state only.
  func snapshot() -> (any PinnedSnapshot)? { nil }

  /// Nothing is ever put off.
  func settle() {}

  /// There is no open file to let go of, but the rows.
  func close() {
    lock.withLock {
      isClosed = true
      contents = StoreContents(model)
      indexes = Array(repeating: [], count: model.entities.count)
    }
  }

  // MARK: - Transactions

  var transactionReader: any StoreReader { self }

  func begin() throws {
    guard !options.isReadOnly else {
      throw ObjectGraphError.readOnly(file: fileName, "it is opened for reading only")
    }
    guard transaction == nil else {
      throw ObjectGraphError.busy(file: fileName, "a transaction is under way; a batch request's block cannot save")
    }
    // Until it is all there, or undone.
    lock.lock()
    transaction = Transaction(lastKeys: contents.entities.map(\.lastKey))
  }

  func commit() throws {
    try file?.save(contents, options.synchronous)
    transaction = nil
    for place in contents.entities.indices { contents.entities[place].table.closeGaps() }
    lock.unlock()
  }

  func rollback() {
    guard let ended = transaction else { return }
    defer { lock.unlock() }
    transaction = nil
    for undo in ended.undo.reversed() { undo() }
    // As in a database whose keys are taken before: they are not given again.
    guard options.keys == .joined else { return }
    for (place, key) in ended.lastKeys.enumerated() { contents.entities[place].lastKey = key }
  }

  func allocateKeys(_ count: Int, _ entity: Entity) throws -> Int64 {
    let last = contents.entities[entity.number - 1].lastKey
    let (new, isTooGreat) = last.addingReportingOverflow(Int64(count))
    guard !isTooGreat else {
      throw ObjectGraphError.damaged(file: fileName, "\(entity.name) has no key left after \(last), the last one")
    }
    contents.entities[entity.number - 1].lastKey = new
    return last + 1
  }

  /// Replaces, adds or deletes a row, so that it can be undone.
  func change(_ key: Int64, _ entity: Entity, to row: Row?) {
    let old = put(row, key, entity)
    transaction?.undo.append { [unowned self] in put(old, key, entity) }
  }

  /// Replaces, adds or deletes a row.
  ///
  /// - Returns: The one that was there.
  @discardableResult
  private func put(_ row: Row?, _ key: Int64, _ entity: Entity) -> Row? {
    let number = entity.number - 1
    let old = contents.entities[number].table[key]
    contents.entities[number].table[key] = row
    for place in indexes[number].indices {
      let places = indexes[number][place].places
      let (before, after) = (old.flatMap { IndexKey($0.values, places) }, row.flatMap { IndexKey($0.values, places) })
      guard before != after else { continue }
      if let before { indexes[number][place].keys.remove(key, for: before) }
      if let after { indexes[number][place].keys.insert(key, for: after) }
    }
    return old
  }

  private func change(_ link: StoreChanges.Link, isThere: Bool) {
    guard case .joinTable(let name, _, _, let writes) = link.relationship.storage, let place = pairPlaces[name] else {
      return
    }
    let (source, destination) = writes ? (link.source, link.destination) : (link.destination, link.source)
    guard contents.pairs[place].set(source, destination, isThere: isThere) else { return }
    transaction?.undo.append { [unowned self] in contents.pairs[place].set(source, destination, isThere: !isThere) }
  }

  // MARK: - Saving

  func write(_ changes: StoreChanges, _ presentID: PresentID) throws {
    var conflicts: [MergeConflict] = []
    func isCurrent(_ id: ManagedObjectID, _ version: Int64?, _ stored: Row?) -> Bool {
      if version == stored?.version { return true }
      conflicts.append(
        MergeConflict(
          objectID: id, oldVersion: version ?? 0, newVersion: stored?.version ?? 0, persistedSnapshot: stored))
      return false
    }
    for (id, version) in changes.deleted {
      // What somebody else has deleted already is as it should be.
      guard let stored = row(id.key, id.entity), isCurrent(id, version ?? stored.version, stored) else { continue }
      change(id.key, id.entity, to: nil)
    }
    for update in changes.updated {
      let stored = row(update.id.key, update.id.entity)
      if isCurrent(update.id, update.old?.version, stored) { change(update.id.key, update.id.entity, to: update.new) }
    }
    guard conflicts.isEmpty else { throw ObjectGraphError.conflicts(conflicts) }
    for rows in changes.inserted {
      for (place, values) in rows.values.enumerated() {
        change(rows.firstKey + Int64(place), rows.entity, to: Row(version: 1, values: values))
      }
    }
    // Now that all are written: one may have taken what another one had.
    let areUnique =
      changes.updated.allSatisfy { update in
        isUnique(update.new.values, update.id.entity.constraints.filter(update.moves), update.id.entity)
      }
      && changes.inserted.allSatisfy { rows in
        rows.values.allSatisfy { isUnique($0, rows.entity.constraints, rows.entity) }
      }
    guard areUnique else { throw try violation(changes, presentID) }
    for link in changes.removedLinks { change(link, isThere: false) }
    for link in changes.addedLinks { change(link, isThere: true) }
  }

  /// Whether a row shares none of the values that must be unique.
  private func isUnique<Row: RandomAccessCollection<Value>>(
    _ values: Row, _ constraints: [[Int]], _ entity: Entity
  ) -> Bool where Row.Index == Int {
    constraints.allSatisfy { places in
      IndexKey(values, places).map { index(entity, places).count(of: $0) < 2 } ?? true
    }
  }

  /// Why the changes cannot be written.
  private func violation(_ changes: StoreChanges, _ presentID: PresentID) throws -> ObjectGraphError {
    let check = UniquenessCheck(origin: identifier) { [self] entity, places, values, body in
      let index = index(entity, places)
      for (number, value) in values.enumerated() {
        for key in index[value] { if let row = row(key, entity) { body((number, key, row)) } }
      }
    }
    return .constraints(try check.conflicts(in: changes, presentID))
  }
}
