import ObjectGraph
import StorageContract

/// The entity (in Core Data's sense) for one collection of records. The unique key is the attribute `id`, or `uuid`
/// with UUID keys.
struct RecordEntity {
  let entity: Entity
  private let form: KeyForm
  private let uuid: Attribute?
  private let id: Attribute
  private let name: Attribute
  private let group: Attribute
  private let score: Attribute
  private let modified: Attribute
  private let payload: Attribute
  private let byKey: FetchRequest<ManagedObject>

  /// Returns the description of a collection's entity, with the relationships, indexes and added attributes of `known`.
  static func description(
    _ name: String, hasExternalPayloads: Bool, _ form: KeyForm, extending known: EntityDescription?
  ) -> EntityDescription {
    let fields = [
      AttributeDescription("id", .integer64, optional: false), AttributeDescription("name", .string),
      AttributeDescription("group", .string), AttributeDescription("score", .double),
      AttributeDescription("modified", .date),
      AttributeDescription("payload", .binary, allowsExternalBinaryDataStorage: hasExternalPayloads),
    ]
    let uuid = AttributeDescription("uuid", form.isText ? .string : .uuid, optional: false)
    let added = known?.attributes.filter { $0.name.hasPrefix(addedPrefix) } ?? []
    return EntityDescription(
      name, attributes: fields + (form.isOrdered ? [] : [uuid]) + added, relationships: known?.relationships ?? [],
      uniquenessConstraints: [[form.isOrdered ? "id" : "uuid"]], indexes: known?.indexes ?? [])
  }

  static let addedPrefix = "added_"

  init(_ entity: Entity, _ form: KeyForm) throws {
    self.entity = entity
    self.form = form
    uuid = form.isOrdered ? nil : try entity.attribute("uuid")
    id = try entity.attribute("id")
    name = try entity.attribute("name")
    group = try entity.attribute("group")
    score = try entity.attribute("score")
    modified = try entity.attribute("modified")
    payload = try entity.attribute("payload")
    byKey = FetchRequest(
      entity.name, where: Property(form.isOrdered ? "id" : "uuid").compare(.equal, .variable("key")), limit: 1)
  }

  func hasIndex(_ field: RecordField) -> Bool {
    entity.description.indexes.contains { $0.first == Self.name(of: field) }
  }

  func object(_ key: Int64, _ context: ManagedObjectContext, prefetching paths: [String] = []) throws -> ManagedObject?
  {
    byKey.variables["key"] = .value(value(key))
    byKey.relationshipKeyPathsForPrefetching = paths
    return try context.fetch(byKey).first
  }

  private func value(_ key: Int64) -> Value {
    if form.isOrdered { return .integer(key) }
    return form.isText ? .string(form.text(key)) : form.withBytes(of: key) { .binary([UInt8]($0)) }
  }

  func objects(_ keys: [Int64], _ context: ManagedObjectContext) throws -> [Int64: ManagedObject] {
    guard let first = keys.min(), let last = keys.max() else { return [:] }
    let isRange = form.isOrdered && last.subtractingReportingOverflow(first) == (Int64(keys.count - 1), false)
    let predicate =
      isRange
      ? Property("id").between(first, last)
      : Property(form.isOrdered ? "id" : "uuid").compare(.in, .list(keys.map { .value(value($0)) }))
    var found: [Int64: ManagedObject] = [:]
    for object in try context.fetch(FetchRequest(entity.name, where: predicate)) {
      if case .integer(let key) = try object.value(of: id) { found[key] = object }
    }
    return found
  }

  func request(_ query: RecordQuery) -> FetchRequest<ManagedObject> {
    let order = query.order.map { SortKey(Self.name(of: $0.field), ascending: !$0.isDescending) }
    return FetchRequest(
      entity.name, where: Self.predicate(query.predicate), sortedBy: order + [SortKey("id")], limit: query.limit ?? 0,
      offset: query.offset)
  }

  func request(_ predicate: RecordPredicate) -> FetchRequest<ManagedObject> {
    FetchRequest(entity.name, where: Self.predicate(predicate))
  }

  private static func name(of field: RecordField) -> String { field == .key ? "id" : field.rawValue }

  private static func predicate(_ predicate: RecordPredicate) -> FetchPredicate {
    switch predicate {
    case .everything: .constant(true)
    case .name(let text): Property("name") == text
    case .namePrefix(let text): Property("name").begins(with: text)
    case .after(let name, let key):
      // The first comparison lets SQLite use an index of the names.
      .and([Property("name") >= name, .or([Property("name") > name, Property("id") > key])])
    case .group(let text): Property("group") == text
    case .score(let range): Property("score").between(range.lowerBound, range.upperBound)
    case .and(let parts): .and(parts.map(Self.predicate))
    case .or(let parts): .or(parts.map(Self.predicate))
    case .not(let part): .not(Self.predicate(part))
    }
  }

  func request(_ keys: ClosedRange<Int64>, batchSize: Int = 0) -> FetchRequest<ManagedObject> {
    let request = FetchRequest<ManagedObject>(
      entity.name, where: keys == .all ? nil : Property("id").between(keys.lowerBound, keys.upperBound),
      sortedBy: [SortKey("id")])
    request.fetchBatchSize = batchSize
    return request
  }

  func set(_ object: ManagedObject, to record: Record) throws { try set(record) { try object.set($0, to: $1) } }

  func set(_ object: BatchObject, to record: Record) throws { try set(record) { try object.set($0, to: $1) } }

  @inline(__always)
  private func set(_ record: Record, _ set: (Attribute, Value) throws -> Void) throws {
    try set(id, .integer(record.id))
    if let uuid { try set(uuid, value(record.id)) }
    try set(name, .string(record.name))
    try set(group, .string(record.group))
    // A NaN is stored as NULL, because SQLite has no NaN.
    try set(score, record.score.isNaN ? .null : .double(record.score))
    try set(modified, record.modified.isNaN ? .null : .double(record.modified))
    try set(payload, .binary(record.payload))
  }

  func key(_ object: ManagedObject) throws -> Int64 { try object.value(of: id).whole }

  func record(_ object: ManagedObject) throws -> Record {
    Record(
      id: try key(object), name: try object.value(of: name).text, group: try object.value(of: group).text,
      score: try object.value(of: score).fraction ?? .nan, modified: try object.value(of: modified).fraction ?? .nan,
      payload: try object.value(of: payload).bytes)
  }

  func pass(_ objects: some Sequence<ManagedObject>, to body: (RecordView) throws -> Bool) throws {
    for object in objects {
      let record = try StoreError.translating { try self.record(object) }
      guard try record.withView(body) else { return }
    }
  }
}

extension Value {
  var whole: Int64 { if case .integer(let number) = self { number } else { 0 } }
  var text: String { if case .string(let text) = self { text } else { "" } }
  var bytes: [UInt8] { if case .binary(let bytes) = self { bytes } else { [] } }

  var fraction: Double? {
    switch self {
    case .double(let number): number
    case .integer(let number): Double(number)
    default: nil
    }
  }
}
