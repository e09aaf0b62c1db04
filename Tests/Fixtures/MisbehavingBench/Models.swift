import StorageContract

// Backends that fail an app's model. Their faults show in one workload, and hardly in others.

final class KeepsDeleted: Wrapper {
  static let description = describe("keeps-deleted", "acknowledges deletions without doing them")
  let inner: any StorageBackend

  init(_ inner: any StorageBackend) { self.inner = inner }

  func commit(_ changes: [Change]) throws { try inner.commit(changes.filter { !$0.isDelete }) }
}

/// A backend that shows commits only after it was closed: a changed setting reads as before.
final class ReadsStale: Wrapper {
  static let description = describe("reads-stale", "shows what was there when it was opened")
  let inner: any StorageBackend
  private var old: [Int64: Record] = [:]

  init(_ inner: any StorageBackend) { self.inner = inner }

  func commit(_ changes: [Change]) throws {
    for change in changes where change.collection == .records && old[change.record.id] == nil {
      old[change.record.id] = try inner.record(change.record.id, in: .records)
    }
    try inner.commit(changes)
  }

  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    guard collection == .records, let record = old[key] else { return try inner.read(key, in: collection, body) }
    try record.withView(body)
    return true
  }
}

/// A backend that confuses the delete rules.
final class MistakesRules: Wrapper, Relational {
  static let description = describe("mistakes-rules", "nullifies where it should cascade or deny, and cascades else")
  let inner: any StorageBackend
  private let right: any Relational

  init(_ inner: any StorageBackend) {
    self.inner = inner
    right = Capability.relational(of: inner).value
  }

  func declare(_ schema: RelationSchema) throws {
    let relationships = schema.relationships.map { relationship in
      var relationship = relationship
      relationship.deleteRule = relationship.deleteRule == .nullify ? .cascade : .nullify
      return relationship
    }
    try right.declare(RelationSchema(relationships, links: schema.links))
  }

  func commit(_ changes: [RelationChange]) throws { try right.commit(changes) }

  func keys(
    linkedWith key: Int64, by relationship: RelationshipID, _ direction: LinkDirection
  ) throws -> [Int64] {
    try right.keys(linkedWith: key, by: relationship, direction)
  }

  func walk(
    from key: Int64, by relationship: RelationshipID, _ direction: LinkDirection,
    _ body: (RecordView) throws -> Bool
  ) throws {
    try right.walk(from: key, by: relationship, direction, body)
  }
}
