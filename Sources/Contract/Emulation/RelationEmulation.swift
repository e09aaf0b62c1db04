/// Links for an engine without them: linked keys are stored as further records, and a commit applies the delete rules.
final class RelationEmulation: Relational {
  private let store: any StorageBackend
  private var schema: RelationSchema?

  init(over store: any StorageBackend) { self.store = store }

  func declare(_ schema: RelationSchema) throws { self.schema = schema }

  private func declared(_ id: RelationshipID) throws -> (schema: RelationSchema, relationship: RecordRelationship) {
    guard let schema, schema.relationships.indices.contains(id.index) else {
      throw RelationError.undeclared(id)
    }
    return (schema, schema.relationships[id.index])
  }

  func keys(linkedWith key: Int64, by relationship: RelationshipID, _ direction: LinkDirection) throws -> [Int64] {
    let (schema, ends) = try declared(relationship)
    var keys: [Int64] = []
    _ = try store.read(LinkRecord.key(of: key, by: relationship, direction), in: schema.links) {
      keys = try LinkRecord($0).keys(of: key)
    }
    guard ends.leavesLinks else { return keys }
    let (own, other) = direction == .forward ? (ends.source, ends.destination) : (ends.destination, ends.source)
    return try isThere(key, in: own) ? keys.filter { try isThere($0, in: other) } : []
  }

  private func isThere(_ key: Int64, in collection: CollectionID) throws -> Bool {
    try store.read(key, in: collection) { _ in }
  }

  func dangling(by relationship: RelationshipID, _ direction: LinkDirection) throws -> [Int64] {
    let (schema, ends) = try declared(relationship)
    guard ends.leavesLinks else { return [] }
    let (own, other) = direction == .forward ? (ends.source, ends.destination) : (ends.destination, ends.source)
    var lists: [(owner: Int64, keys: [Int64])] = []
    try store.scan(.all, in: schema.links) { view in
      // The low bits of the key are those of the relationship and the direction.
      if view.id & 63 == LinkRecord.key(of: 0, by: relationship, direction) { lists += try LinkRecord(view).lists }
      return true
    }
    return try lists.filter { list in
      try isThere(list.owner, in: own) && list.keys.contains { try !isThere($0, in: other) }
    }.map(\.owner).sorted()
  }

  func walk(
    from key: Int64, by relationship: RelationshipID, _ direction: LinkDirection,
    _ body: (RecordView) throws -> Bool
  ) throws {
    let ends = try declared(relationship).relationship
    let collection = direction == .forward ? ends.destination : ends.source
    for other in try keys(linkedWith: key, by: relationship, direction) {
      var goesOn = true
      _ = try store.read(other, in: collection) { goesOn = try body($0) }
      if !goesOn { return }
    }
  }

  func commit(_ changes: [RelationChange]) throws {
    guard let schema else { throw StoreError.undeclaredRelationship }
    let transaction = BufferedTransaction(over: store)
    defer { transaction.end() }
    var links = LinkSession(over: transaction, schema: schema)
    for change in changes {
      switch change {
      case .put(let record, let collection):
        try transaction.put(record, in: collection)
      case .delete(let key, let collection):
        try delete(RecordPlace(collection: collection, key: key), schema, transaction, &links)
      case .link(let source, let destination, let id):
        let relationship = try declared(id).relationship
        try require(source, in: relationship.source, transaction)
        try require(destination, in: relationship.destination, transaction)
        try links.link(source, to: destination, by: id)
      case .unlink(let source, let destination, let id):
        _ = try declared(id)
        try links.unlink(source, from: destination, by: id)
      }
    }
    let batch = transaction.changes + links.changes()
    if !batch.isEmpty { try store.commit(batch) }
  }

  private func require(_ key: Int64, in collection: CollectionID, _ transaction: BufferedTransaction) throws {
    guard try transaction.read(key, in: collection, { _ in }) else {
      throw RelationError.missing(key: key, collection: collection)
    }
  }

  private func delete(
    _ first: RecordPlace, _ schema: RelationSchema, _ transaction: BufferedTransaction, _ links: inout LinkSession
  ) throws {
    guard try transaction.read(first.key, in: first.collection, { _ in }) else { return }

    // All records to delete are collected first, because a record that is also deleted does not prevent the deletion.
    var doomed = [first]
    var isDoomed: Set = [first]
    var denials: [(relationship: String, key: Int64, others: [RecordPlace])] = []
    var next = 0
    while next < doomed.count {
      let member = doomed[next]
      next += 1
      for end in schema.ends(of: member.collection) {
        let others = try links.keys(of: member.key, by: end.id, end.direction)
          .map { RecordPlace(collection: end.other, key: $0) }
        switch end.rule {
        case .cascade: doomed += others.filter { isDoomed.insert($0).inserted }
        case .deny: denials.append((schema.relationships[end.id.index].name, member.key, others))
        case .nullify, .noAction: break
        }
      }
    }
    for denial in denials {
      let remaining = denial.others.count { !isDoomed.contains($0) }
      guard remaining == 0 else {
        throw RelationError.denied(relationship: denial.relationship, key: denial.key, remaining: remaining)
      }
    }
    for member in doomed {
      for end in schema.ends(of: member.collection) where end.rule != .noAction {
        try links.unlinkAll(of: member.key, by: end.id, end.direction)
      }
      try transaction.delete(member.key, in: member.collection)
    }
  }
}
