@testable import ObjectGraph

extension PersistentStore {
  /// The contents as lines: each row with its key and version, the pairs of the join tables, and the next keys.
  func dump(_ model: ManagedObjectModel) throws -> [String] {
    var lines: [String] = []
    for entity in model.entities {
      let plan = FetchPlan(entity: entity, predicate: nil, order: [], model: model)
      let reader = try engine.borrowReader()
      defer { engine.giveBack(reader) }
      var keys: [Int64] = []
      try reader.fetch(StoreRequest(plan: plan)) { found in
        keys.append(found.key)
        let values = zip(entity.columns, found.row).map { "\($0)=\($1)" }.joined(separator: " ")
        lines.append("\(entity.name) \(found.key) v\(found.row.version) \(values)")
      }
      for relationship in entity.relationships {
        guard case .joinTable(let table, writes: true) = relationship.storage else { continue }
        let pairs = try reader.destinations(relationship, of: keys, in: model.destination(of: relationship))
        lines += pairs.map { "\(table.name) \($0.source) \($0.destination)" }
      }
      try engine.begin()
      lines.append("\(entity.name) next \(try engine.allocateKeys(0, entity))")
      engine.rollback()
    }
    return lines
  }
}
