import StorageContract

/// The workload option for the number of secondary indexes, and functions that create and check the indexes.
enum SecondaryIndexes {
  static let option = OptionSpec(
    "indexes", ["0", "1", "3"], help: "secondary indexes: none, of the time of change, or also of name and score")

  static func fields(_ options: Options) -> [RecordField] {
    Array([RecordField.modified, .name, .score].prefix(Int(options[option]) ?? 0))
  }

  @Sendable
  static func obstacle(_ options: Options, _ store: PlannedStore) -> String? {
    guard !fields(options).isEmpty, !Capability.querying.isNative(in: store.backend) else { return nil }
    return "it has no indexes but that of its keys; that is the row with indexes=0"
  }

  /// Creates an index of each given field in an open store. An existing index is kept.
  static func create(_ fields: [RecordField], in store: any StorageBackend) throws {
    guard !fields.isEmpty else { return }
    let querying = Capability.querying(of: store).value
    for field in fields {
      guard try querying.index(field, in: .records) else {
        throw StoreError.failed("the store makes no index of the \(field.rawValue); run this without indexes")
      }
    }
    try store.settle()
  }

  /// Checks indexes by queries for the first 20 records, or throws ``VerificationError`` that names a wrong record.
  static func check(_ fields: [RecordField], of store: any StorageBackend) throws {
    guard !fields.isEmpty else { return }
    let records = try store.records(.all, in: .records)
    let querying = Capability.querying(of: store).value
    for field in fields {
      let query = RecordQuery(sortedBy: [.ascending(field)], limit: 20)
      let found = try querying.records(query, in: .records)
      let expected = Array(records.sorted(by: query.precedes).prefix(20))
      guard found.count == expected.count else {
        throw VerificationError("a query by \(field.rawValue) finds \(found.count) of \(expected.count) records")
      }
      try Expectation.compare(found, with: expected)
    }
  }
}

extension SessionContext {
  /// Opens the store with an index of each given field. The store is reopened after the indexes are created.
  func open(indexing fields: [RecordField]) throws -> any StorageBackend {
    let store = try open()
    guard !fields.isEmpty else { return store }
    try SecondaryIndexes.create(fields, in: store)
    try close(store)
    try cool()
    return try open()
  }
}
