import StorageContract

/// The expected links between the records of a store, and the delete rules of their relationships.
struct LinkModel {
  private struct End: Hashable {
    let relationship: RelationshipID
    let direction: LinkDirection
  }

  let schema: RelationSchema
  private var linked: [End: [Int64: Set<Int64>]] = [:]
  /// The keys of the records with a link to a deleted record. The delete rule `noAction` leaves such links.
  private var dangling: [End: Set<Int64>] = [:]

  init(_ schema: RelationSchema, _ links: [Link]) {
    self.schema = schema
    for link in links { self.link(link) }
  }

  /// Returns the keys of the records to which a record should be linked, in ascending order.
  func keys(_ key: Int64, by relationship: RelationshipID, _ direction: LinkDirection) -> [Int64] {
    set(key, End(relationship: relationship, direction: direction)).sorted()
  }

  /// Returns the keys, in ascending order, of the records whose links to deleted records stay (delete rule `noAction`).
  func danglingKeys(by relationship: RelationshipID, _ direction: LinkDirection) -> [Int64] {
    dangling[End(relationship: relationship, direction: direction), default: []].sorted()
  }

  private func set(_ key: Int64, _ end: End) -> Set<Int64> { linked[end]?[key] ?? [] }

  /// Adds a link between two records. The new link replaces an old one if a record may have only one link.
  mutating func link(_ link: Link) {
    let relationship = schema.relationships[link.relationship.index]
    let forward = End(relationship: link.relationship, direction: .forward)
    let inverse = End(relationship: link.relationship, direction: .inverse)
    if set(link.source, forward).contains(link.destination) { return }
    if relationship.destinations == .one {
      for old in set(link.source, forward) { unlink(Link(link.source, to: old, by: link.relationship)) }
      dangling[forward]?.remove(link.source)
    }
    if relationship.sources == .one {
      for old in set(link.destination, inverse) { unlink(Link(old, to: link.destination, by: link.relationship)) }
      dangling[inverse]?.remove(link.destination)
    }
    linked[forward, default: [:]][link.source, default: []].insert(link.destination)
    linked[inverse, default: [:]][link.destination, default: []].insert(link.source)
  }

  mutating func unlink(_ link: Link) {
    linked[End(relationship: link.relationship, direction: .forward)]?[link.source]?.remove(link.destination)
    linked[End(relationship: link.relationship, direction: .inverse)]?[link.destination]?.remove(link.source)
  }

  /// Deletes a record, its links and, by the delete rule `cascade`, linked records. Returns all deleted records.
  ///
  /// - Throws: ``RelationError/denied(relationship:key:remaining:)``, before any change, if a delete rule forbids the
  ///   deletion.
  mutating func delete(_ first: RecordPlace) throws -> [RecordPlace] {
    var doomed = [first]
    var isDoomed: Set = [first]
    var next = 0
    while next < doomed.count {
      for (_, others) in neighbours(of: doomed[next], by: .cascade) {
        doomed += others.filter { isDoomed.insert($0).inserted }
      }
      next += 1
    }
    for record in doomed {
      for (name, others) in neighbours(of: record, by: .deny) {
        let remaining = others.count { !isDoomed.contains($0) }
        guard remaining == 0 else {
          throw RelationError.denied(relationship: name, key: record.key, remaining: remaining)
        }
      }
    }
    for record in doomed { unlinkAll(of: record) }
    return doomed
  }

  private func neighbours(
    of record: RecordPlace, by rule: RecordDeleteRule
  ) -> [(relationship: String, others: [RecordPlace])] {
    schema.ends(of: record.collection).filter { $0.rule == rule }.map { end in
      let others = keys(record.key, by: end.id, end.direction)
      return (schema.relationships[end.id.index].name, others.map { RecordPlace(collection: end.other, key: $0) })
    }
  }

  private mutating func unlinkAll(of record: RecordPlace) {
    for end in schema.ends(of: record.collection) {
      let own = End(relationship: end.id, direction: end.direction)
      dangling[own]?.remove(record.key)
      for other in set(record.key, own) {
        if end.rule == .noAction {
          let opposite = End(relationship: end.id, direction: end.direction.reversed)
          dangling[opposite, default: []].insert(other)
        }
        let (source, destination) = end.direction == .forward ? (record.key, other) : (other, record.key)
        unlink(Link(source, to: destination, by: end.id))
      }
    }
  }
}
