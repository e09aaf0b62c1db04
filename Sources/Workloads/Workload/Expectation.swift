import StorageContract

/// The expected content of a store: the initial records and links, plus the changes that operations made.
public struct Expectation {
  private let fixture: Fixture
  private var changes: [CollectionID: [Int64: Record?]] = [:]
  private var links: LinkModel?
  private var attributes: [CollectionID: ExpectedAttribute] = [:]
  private var moreChecks: [(inout Totals) throws -> Void] = []

  /// Creates the expectation that a store has exactly the content of a fixture.
  public init(_ fixture: Fixture) {
    self.fixture = fixture
    links = fixture.schema.map { LinkModel($0, fixture.links) }
  }

  /// Creates the expectation that a store's only collection has the records of a source. A nil source means no records.
  public init(_ source: (any RecordSource)?) { self.init(Fixture(source ?? RecordList([]))) }

  /// Applies a change of one record to the expected content of the store.
  public mutating func apply(_ change: Change) {
    switch change.action {
    case .put(let record, let collection): changes[collection, default: [:]][record.id] = .some(record)
    case .delete(let key, let collection): changes[collection, default: [:]][key] = .some(nil)
    }
  }

  mutating func apply(_ changes: some Sequence<Change>) { for change in changes { apply(change) } }

  func after(_ changes: some Sequence<Change>) -> Expectation {
    var expectation = self
    expectation.apply(changes)
    return expectation
  }

  /// Applies a change of linked records to the expected content of the store.
  ///
  /// - Throws: ``RelationError`` if a store must refuse the change. The expected content then stays unchanged.
  public mutating func apply(linked change: RelationChange) throws {
    switch change {
    case .put(let record, let collection): apply(Change.put(record, in: collection))
    case .delete(let key, let collection):
      guard record(key, in: collection) != nil else { return }
      let gone = try links?.delete(RecordPlace(collection: collection, key: key)) ?? []
      for member in gone { apply(Change.delete(member.key, in: member.collection)) }
    case .link(let source, let destination, let id):
      guard let schema = links?.schema, schema.relationships.indices.contains(id.index) else {
        throw RelationError.undeclared(id)
      }
      let relationship = schema.relationships[id.index]
      for (key, collection) in [(source, relationship.source), (destination, relationship.destination)]
      where record(key, in: collection) == nil {
        throw RelationError.missing(key: key, collection: collection)
      }
      links?.link(Link(source, to: destination, by: id))
    case .unlink(let source, let destination, let id):
      links?.unlink(Link(source, to: destination, by: id))
    }
  }

  /// Applies a schema change, such as a new attribute, to a collection. A collection has at most one added attribute.
  public mutating func apply(_ change: SchemaChange, in collection: CollectionID = .records) {
    switch change {
    case .add(let attribute): attributes[collection] = ExpectedAttribute(attribute: attribute)
    case .rename(_, let attribute): attributes[collection]?.attribute = attribute
    case .drop: attributes[collection] = ExpectedAttribute()
    case .split(let other):
      for var record in records(in: collection) where !record.payload.isEmpty {
        apply(
          Change.put(
            Record(id: record.id, name: "", group: "", score: 0, modified: 0, payload: record.payload), in: other))
        record.payload = []
        apply(Change.put(record, in: collection))
      }
    }
  }

  /// Sets the expected value of one record in the attribute that a schema change has added.
  public mutating func set(_ value: String, of key: Int64, in collection: CollectionID = .records) {
    attributes[collection]?.values[key] = value
  }

  /// Adds a check of data outside the store, such as separate files.
  ///
  /// - Parameter check: Adds the data's size and hash to the store's totals, or throws ``VerificationError``.
  mutating func alsoCheck(_ check: @escaping (inout Totals) throws -> Void) { moreChecks.append(check) }

  /// Returns the record that the store should have for a key, or nil if it should have none.
  public func record(_ key: Int64, in collection: CollectionID = .records) -> Record? {
    if let change = changes[collection]?[key] { return change }
    guard let source = source(collection), let index = source.index(of: key) else { return nil }
    return source.record(at: index)
  }

  /// Returns the records that the store should have in a collection, in key order.
  public func records(in collection: CollectionID = .records) -> [Record] {
    expectedRecords(collection).map(\.record)
  }

  /// Returns the keys of the records to which a record should be linked, in ascending order.
  public func keys(
    linkedWith key: Int64, by relationship: RelationshipID, _ direction: LinkDirection = .forward
  ) -> [Int64] {
    links?.keys(key, by: relationship, direction) ?? []
  }

  private func source(_ collection: CollectionID) -> (any RecordSource)? {
    fixture.records.indices.contains(collection.index) ? fixture.records[collection.index] : nil
  }

  private func expectedRecords(_ collection: CollectionID) -> ExpectedRecords {
    ExpectedRecords(source: source(collection), changes: changes[collection] ?? [:])
  }

  /// The totals of a whole store: its number of records, their bytes, and a hash of the content.
  public struct Totals: Equatable, Sendable {
    /// The number of records in all collections of the store.
    public var records = 0
    /// The size of all records, links and added attributes in bytes, without the engine's overhead.
    public var storedBytes = 0
    /// A hash of the store's content. A check with `hashes: false` does not add the records to the hash.
    public var digest = StableHash()
  }

  /// Reads the whole store and compares every record and link with the expected content.
  ///
  /// - Parameter hashes: Whether the digest of ``Totals`` includes the records, which takes as long as the comparison.
  /// - Throws: ``VerificationError`` that names the first key that is missing, unexpected or different.
  public func check(_ store: any StorageBackend, hashes: Bool = true) throws -> Totals {
    var totals = try checkRecords(hashes: hashes, count: store.count) { collection, body in
      let migrating = Capability.migrating(of: store).value
      try attributes[collection]?.checkNames(migrating.attributes(in: collection))
      guard let attribute = attributes[collection]?.attribute else {
        return try store.scan(.all, in: collection) { try body($0, nil) }
      }
      try migrating.scan(.all, with: attribute, in: collection, body)
    }
    if let links {
      let relations = Capability.relational(of: store).value
      try relations.declare(links.schema)
      try check(links, in: relations, &totals)
    }
    for check in moreChecks { try check(&totals) }
    return totals
  }

  /// Compares the records in a snapshot of a store with the expected records. Links are not compared.
  ///
  /// - Parameter hashes: Whether the digest of ``Totals`` includes the records.
  /// - Throws: ``VerificationError`` that names the first key that is missing, unexpected or different.
  public func check(_ store: any StoreSnapshot, hashes: Bool = true) throws -> Totals {
    try checkRecords(hashes: hashes, count: store.count) { collection, body in
      try store.scan(.all, in: collection) { try body($0, nil) }
    }
  }

  private func checkRecords(
    hashes: Bool, count: (CollectionID) throws -> Int,
    scan: (CollectionID, (RecordView, String?) throws -> Bool) throws -> Void
  ) throws -> Totals {
    var totals = Totals()
    for index in fixture.records.indices {
      let collection = CollectionID(index)
      var expected = expectedRecords(collection)
      var found = 0
      // With a single collection, the digest covers only its records.
      if fixture.records.count > 1 { totals.digest.add(UInt64(index)) }
      try scan(collection) { view, value in
        guard let next = expected.next(), next.key <= view.id else {
          throw VerificationError(key: view.id, "is there but should not be")
        }
        let key = next.key
        if view.id > key { throw VerificationError(key: key, "is missing") }
        // The slower comparison, which names the difference, runs only if a record differs.
        if !next.isRecord(view) {
          try Self.compare(view.record(), with: next.record, key: key)
          throw VerificationError(key: key, "has a text that is not UTF-8")
        }
        found += 1
        totals.storedBytes += 24 + view.name.count + view.group.count + view.payload.count
        if hashes { totals.digest.add(view) }
        if let expected = attributes[collection], let attribute = expected.attribute {
          guard let value, value.hasSameBytes(as: expected.values[key] ?? attribute.defaultValue) else {
            throw VerificationError(key: key, "has a wrong \(attribute.name)")
          }
          totals.storedBytes += value.utf8.count
          totals.digest.add(value)
        }
        return true
      }
      if let next = expected.next() { throw VerificationError(key: next.key, "is missing") }
      let count = try count(collection)
      guard count == found else {
        throw VerificationError("the store counts \(count) records, but holds \(found)")
      }
      totals.records += found
    }
    return totals
  }

  private func check(_ links: LinkModel, in store: any Relational, _ totals: inout Totals) throws {
    for (index, relationship) in links.schema.relationships.enumerated() {
      let id = RelationshipID(index)
      totals.digest.add(UInt64(index))
      for direction in LinkDirection.allCases {
        let collection = direction == .forward ? relationship.source : relationship.destination
        for key in keysThereAndGone(collection) {
          let found = try store.keys(linkedWith: key, by: id, direction)
          guard found == links.keys(key, by: id, direction) else {
            throw VerificationError(key: key, "has wrong links by \(relationship.name)")
          }
          guard direction == .forward else { continue }
          totals.storedBytes += found.count * Link.logicalSize
          for other in found {
            totals.digest.add(UInt64(bitPattern: key))
            totals.digest.add(UInt64(bitPattern: other))
          }
        }
        guard relationship.leavesLinks else { continue }
        let left = try store.dangling(by: id, direction)
        let right = links.danglingKeys(by: id, direction)
        if let key = Set(left).symmetricDifference(right).min() {
          let what = right.contains(key) ? "has no link to a deleted record" : "has a link to a deleted record"
          throw VerificationError(key: key, "\(what) by \(relationship.name)")
        }
        for key in left { totals.digest.add(UInt64(bitPattern: key)) }
      }
    }
  }

  private func keysThereAndGone(_ collection: CollectionID) -> [Int64] {
    let gone = (changes[collection] ?? [:]).filter { $0.value == nil }.map(\.key)
    return (gone + expectedRecords(collection).map(\.key)).sorted()
  }

  /// Compares the records that were read with the expected records. Both lists are in key order.
  ///
  /// - Throws: ``VerificationError`` that names the first key that is missing, unexpected or different.
  public static func compare(
    _ found: [Record], with expected: [Record], missing: String = "is missing",
    extra: String = "is there but should not be"
  ) throws {
    for (record, right) in zip(found, expected) { try compare(record, with: right, key: right.id) }
    if found.count < expected.count { throw VerificationError(key: expected[found.count].id, missing) }
    if found.count > expected.count { throw VerificationError(key: found[expected.count].id, extra) }
  }

  /// Throws ``VerificationError`` if the record read for a key differs from the expected record. Nil means no record.
  public static func compare(_ found: Record?, with expected: Record?, key: Int64) throws {
    switch (found, expected) {
    case (nil, nil): return
    case (nil, _): throw VerificationError(key: key, "is missing")
    case (_, nil): throw VerificationError(key: key, "is there but should not be")
    case (let found?, let expected?):
      if found.isIdentical(to: expected) { return }
      let fields: [(String, Bool)] = [
        ("id", found.id == expected.id), ("name", found.name.hasSameBytes(as: expected.name)),
        ("group", found.group.hasSameBytes(as: expected.group)),
        ("score", found.score.bitPattern == expected.score.bitPattern),
        ("modified", found.modified.bitPattern == expected.modified.bitPattern),
        ("payload", found.payload == expected.payload),
      ]
      let wrong = fields.filter { !$0.1 }.map(\.0).joined(separator: ", ")
      throw VerificationError(key: key, "has a wrong \(wrong)")
    }
  }
}

/// The attribute that schema changes have added to a collection, with the expected values. ``attribute`` is nil after
/// the attribute was dropped.
private struct ExpectedAttribute {
  var attribute: AddedAttribute?
  /// The expected values of the added attribute, by record key. A record without an element has the default value.
  var values: [Int64: String] = [:]

  func checkNames(_ names: Set<String>) throws {
    guard names != Set([attribute?.name].compactMap { $0 }) else { return }
    let (found, expected) = (names.sorted().joined(separator: ", "), attribute.map { "only \($0.name)" } ?? "none")
    throw VerificationError("the records have the attributes '\(found)' and should have \(expected)")
  }
}

/// The expected records of a collection, in key order: the records of a source after all changes.
private struct ExpectedRecords: Sequence, IteratorProtocol {
  /// The next expected record: a changed record, or the unchanged record at an index of the source.
  struct Next {
    let key: Int64
    let changed: Record?
    let source: any RecordSource
    let index: Int

    var record: Record { changed ?? source.record(at: index) }

    func isRecord(_ view: RecordView) -> Bool {
      if let changed { changed.isIdentical(to: view) } else { source.isRecord(view, at: index) }
    }
  }

  private let source: any RecordSource
  private let changed: [(key: Int64, record: Record?)]
  private var sourceIndex = 0
  private var changedIndex = 0

  init(source: (any RecordSource)?, changes: [Int64: Record?]) {
    self.source = source ?? RecordList([])
    changed = changes.map { ($0.key, $0.value) }.sorted { $0.key < $1.key }
  }

  mutating func next() -> Next? {
    while true {
      let key = sourceIndex < source.count ? source.key(at: sourceIndex) : nil
      if changedIndex < changed.count, key.map({ changed[changedIndex].key <= $0 }) ?? true {
        let change = changed[changedIndex]
        changedIndex += 1
        if change.key == key { sourceIndex += 1 }
        // Deleted keys are skipped.
        if change.record != nil { return Next(key: change.key, changed: change.record, source: source, index: 0) }
      } else if let key {
        sourceIndex += 1
        return Next(key: key, changed: nil, source: source, index: sourceIndex - 1)
      } else {
        return nil
      }
    }
  }
}
