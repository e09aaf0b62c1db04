import StorageContract

// Backends that fail an app's model. Their faults show in one workload, and hardly in others.

final class KeepsDeleted: Wrapper {
  override class var words: (String, String) { ("keeps-deleted", "acknowledges deletions without doing them") }

  override func commit(_ changes: [Change]) throws { try inner.commit(changes.filter { !$0.isDelete }) }
}

/// A backend that shows commits only after it was closed: a changed setting reads as before.
final class ReadsStale: Wrapper {
  override class var words: (String, String) { ("reads-stale", "shows what was there when it was opened") }
  private var old: [Int64: Record] = [:]

  override func commit(_ changes: [Change]) throws {
    for change in changes where change.collection == .records && old[change.record.id] == nil {
      old[change.record.id] = try inner.record(change.record.id, in: .records)
    }
    try inner.commit(changes)
  }

  override func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    guard collection == .records, let record = old[key] else { return try inner.read(key, in: collection, body) }
    try record.withView(body)
    return true
  }
}

/// A backend that confuses the delete rules.
final class MistakesRules: Wrapper, Relational {
  override class var words: (String, String) {
    ("mistakes-rules", "nullifies where it should cascade or deny, and cascades else")
  }
  private lazy var right: any Relational = Capability.relational(of: inner).value

  func declare(_ schema: RelationSchema) throws {
    let relationships = schema.relationships.map { relationship in
      var relationship = relationship
      relationship.deleteRule = relationship.deleteRule == .nullify ? .cascade : .nullify
      return relationship
    }
    try right.declare(RelationSchema(relationships, links: schema.links))
  }

  func commit(_ changes: [RelationChange]) throws { try right.commit(changes) }

  func keys(linkedWith key: Int64, by relationship: RelationshipID, _ direction: LinkDirection) throws -> [Int64] {
    try right.keys(linkedWith: key, by: relationship, direction)
  }

  func walk(
    from key: Int64, by relationship: RelationshipID, _ direction: LinkDirection,
    _ body: (RecordView) throws -> Bool
  ) throws {
    try right.walk(from: key, by: relationship, direction, body)
  }

  func dangling(by relationship: RelationshipID, _ direction: LinkDirection) throws -> [Int64] {
    try right.dangling(by: relationship, direction)
  }
}
