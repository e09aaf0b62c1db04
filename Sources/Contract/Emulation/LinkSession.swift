/// The links between records that one commit reads or changes. The changed links are written at the end of the commit.
struct LinkSession {
  private let transaction: BufferedTransaction
  private let schema: RelationSchema
  private var records: [Int64: LinkRecord] = [:]
  /// The keys of the changed link records in the order of their first change, so that every run commits the same batch.
  private var changed: [Int64] = []
  private var isChanged: Set<Int64> = []

  init(over transaction: BufferedTransaction, schema: RelationSchema) {
    self.transaction = transaction
    self.schema = schema
  }

  mutating func keys(of owner: Int64, by relationship: RelationshipID, _ direction: LinkDirection) throws -> [Int64] {
    try load(LinkRecord.key(of: owner, by: relationship, direction)).keys(of: owner)
  }

  mutating func link(_ source: Int64, to destination: Int64, by id: RelationshipID) throws {
    let relationship = schema.relationships[id.index]
    guard try !keys(of: source, by: id, .forward).contains(destination) else { return }
    if relationship.destinations == .one {
      for old in try keys(of: source, by: id, .forward) { try unlink(source, from: old, by: id) }
    }
    if relationship.sources == .one {
      for old in try keys(of: destination, by: id, .inverse) { try unlink(old, from: destination, by: id) }
    }
    try change(source, by: id, .forward) { $0.insert(destination, for: source) }
    try change(destination, by: id, .inverse) { $0.insert(source, for: destination) }
  }

  mutating func unlink(_ source: Int64, from destination: Int64, by id: RelationshipID) throws {
    guard try keys(of: source, by: id, .forward).contains(destination) else { return }
    try change(source, by: id, .forward) { $0.remove(destination, for: source) }
    try change(destination, by: id, .inverse) { $0.remove(source, for: destination) }
  }

  mutating func unlinkAll(of owner: Int64, by id: RelationshipID, _ direction: LinkDirection) throws {
    let others = try keys(of: owner, by: id, direction)
    guard !others.isEmpty else { return }
    try change(owner, by: id, direction) { $0.removeAll(of: owner) }
    for other in others {
      try change(other, by: id, direction.reversed) { $0.remove(owner, for: other) }
    }
  }

  func changes() -> [Change] {
    changed.compactMap { key in
      let name = schema.relationships[Int(key & 63) >> 1].name
      return records[key]?.change(in: schema.links, name: name)
    }
  }

  private mutating func load(_ key: Int64) throws -> LinkRecord {
    if let record = records[key] { return record }
    var record = LinkRecord(key: key)
    _ = try transaction.read(key, in: schema.links) { record = try LinkRecord($0) }
    records[key] = record
    return record
  }

  private mutating func change(
    _ owner: Int64, by relationship: RelationshipID, _ direction: LinkDirection,
    _ body: (inout LinkRecord) -> Void
  ) throws {
    let key = LinkRecord.key(of: owner, by: relationship, direction)
    if records[key] == nil { _ = try load(key) }
    body(&records[key, default: LinkRecord(key: key)])
    if isChanged.insert(key).inserted { changed.append(key) }
  }
}
