import Foundation

/// The contents of a store in memory: the rows of all entities, and the links of many-to-many relationships.
struct StoreContents {
  let identifier: UUID
  /// The data model of the store. The model determines the order of the values in a row.
  var model: ManagedObjectModel
  var tables: [RowTable]
  /// The pairs of linked keys of each many-to-many relationship, by the name that the join table would have in SQLite.
  var pairs: [String: StoredPairs] = [:]

  init(_ model: ManagedObjectModel, identifier: UUID = UUID()) {
    self.identifier = identifier
    self.model = model
    tables = model.entities.map { _ in RowTable() }
  }

  subscript(entity: Entity) -> RowTable {
    get { tables[entity.number - 1] }
    _modify { yield &tables[entity.number - 1] }
  }

  func pairs(of relationship: Relationship, in entity: Entity) -> [(Int64, Int64)] {
    switch relationship.storage {
    case .column(let index):
      return self[entity].rows.compactMap { key, row in
        guard case .integer(let other) = row[index] else { return nil }
        return (key, other)
      }
    case .inverseColumn:
      guard let inverse = model.inverse(of: relationship) else { return [] }
      return pairs(of: inverse, in: model.destination(of: relationship)).map { ($1, $0) }
    case .joinTable(let table, let writes):
      return pairs[table.name]?.sorted.map { writes ? ($0, $1) : ($1, $0) } ?? []
    }
  }
}

struct RowTable {
  /// The greatest primary key that was ever allocated for an object of this entity (Z_MAX).
  var lastKey: Int64 = 0
  var rows: [Int64: Row] = [:]

  var sorted: [(key: Int64, row: Row)] { rows.map { (key: $0, row: $1) }.sorted { $0.key < $1.key } }
}

struct StoredPairs {
  private(set) var destinations = KeyMap<Int64>()
  private(set) var sources = KeyMap<Int64>()

  var sorted: [(Int64, Int64)] {
    destinations.keys.keys.sorted().flatMap { source in destinations[source].map { (source, $0) } }
  }

  /// Adds a pair of keys if `isThere` is true, otherwise removes it. Returns whether the pairs have changed.
  @discardableResult
  mutating func set(_ source: Int64, _ destination: Int64, isThere: Bool) -> Bool {
    sources.set(source, for: destination, isThere: isThere)
    return destinations.set(destination, for: source, isThere: isThere)
  }
}

/// A map from values to row keys: from column values to the rows that have them, or, in a many-to-many relationship,
/// from a row's key to the keys of linked rows.
struct KeyMap<Value: Hashable> {
  private(set) var keys: [Value: Set<Int64>] = [:]

  @discardableResult
  mutating func set(_ key: Int64, for value: Value, isThere: Bool) -> Bool {
    if isThere { return keys[value, default: []].insert(key).inserted }
    guard keys[value]?.remove(key) != nil else { return false }
    if keys[value]?.isEmpty == true { keys[value] = nil }
    return true
  }

  subscript(value: Value) -> [Int64] { keys[value]?.sorted() ?? [] }
}
