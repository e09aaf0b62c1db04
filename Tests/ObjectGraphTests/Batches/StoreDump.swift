@testable import ObjectGraph

/// The contents of a store: each row with its key and version, the pairs of the join tables, and the next keys.
struct StoreDump: LineState {
  private(set) var lines: [String] = []

  init(_ store: PersistentStore, _ model: ManagedObjectModel) throws {
    for entity in model.entities {
      let plan = try FetchPlan(entity: entity, predicate: nil, sortKeys: [], model: model)
      let reader = try store.engine.borrowReader(nil)
      defer { store.engine.giveBack(reader, nil) }
      var keys: [Int64] = []
      try reader.fetch(StoreRequest(plan: plan)) { found in
        keys.append(found.key)
        let values = zip(entity.columns, found.row.values).map { "\($0)=\($1)" }.joined(separator: " ")
        lines.append("\(entity.name) \(found.key) v\(found.row.version) \(values)")
      }
      for relationship in entity.relationships {
        guard case .joinTable(let table, writes: true) = relationship.storage else { continue }
        let pairs = try reader.destinations(relationship, of: keys, in: model.destination(of: relationship))
        lines += pairs.map { "\(table.name) \($0.source) \($0.destination)" }
      }
      try store.engine.begin()
      lines.append("\(entity.name) next \(try store.engine.allocateKeys(0, entity))")
      store.engine.rollback()
    }
  }
}
