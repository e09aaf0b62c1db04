/// The attribute values of one object that a ``BatchInsertRequest`` inserts. The object belongs to no context.
public final class BatchObject {
  /// The entity of the object to insert.
  public let entity: Entity
  /// The values of the row to insert, in the order of the columns. To-one relationships are null.
  @exclusivity(unchecked) private(set) var values: [Value]
  private let defaults: [Value]
  /// For each attribute, the number (1, 2, ...) of the last row in which the attribute was set. -1 means never.
  @exclusivity(unchecked) private var lastRows: [Int]
  @exclusivity(unchecked) private var row = 0
  /// The identities of the entity's attributes, for fast comparisons.
  private let attributes: [ObjectIdentifier]
  /// The policy that resolves conflicts of unique values between new rows and stored rows.
  private let policy: MergePolicy
  /// Whether the rows to insert come from dictionaries, in which attributes may be missing.
  private let isPartial: Bool

  init(_ entity: Entity, _ policy: MergePolicy, isPartial: Bool) {
    (self.entity, self.policy, self.isPartial) = (entity, policy, isPartial)
    attributes = entity.attributes.map { ObjectIdentifier($0) }
    defaults = entity.defaultValues + Array(repeating: .null, count: entity.columns.count - entity.defaultValues.count)
    values = defaults
    lastRows = Array(repeating: -1, count: entity.attributes.count)
  }

  /// Calls a block that sets the attributes of the next row to insert. Returns false if the block reports that no row
  /// is left.
  @inline(__always)
  func fill(_ body: (BatchObject) throws -> Bool) rethrows -> Bool {
    row += 1
    guard try !body(self) else { return false }
    for index in lastRows.indices where lastRows[index] != row { values[index] = defaults[index] }
    return true
  }

  var resolvesConflicts: Bool { policy != .error && !entity.constraints.isEmpty }

  /// The attributes that a new row overwrites in the stored row with which it conflicts, if any.
  var replacedIndices: [Int] {
    switch policy {
    case .error, .mergeByPropertyStoreTrump, .rollback: []
    case .mergeByPropertyObjectTrump where isPartial: lastRows.indices.filter { lastRows[$0] == row }
    case .mergeByPropertyObjectTrump, .overwrite: Array(entity.attributes.indices)
    }
  }

  /// Sets an attribute of the object to insert, faster than ``setValue(_:forKey:)``.
  ///
  /// - Throws: ``ObjectGraphError/wrongType(key:entity:expected:found:)`` if the attribute cannot store the value, or
  ///   ``ObjectGraphError/unknownKey(_:entity:)`` for an attribute of another entity.
  public func set(_ attribute: Attribute, to value: Value) throws {
    let index = attribute.index
    guard index < attributes.count, attributes[index] == ObjectIdentifier(attribute) else {
      throw entity.unknown(attribute.name)
    }
    var stored = value
    if !attribute.type.accepts(value) {
      guard let converted = attribute.type.converted(value) else { throw entity.wrongType(index, found: "\(value)") }
      stored = converted
    }
    values[index] = stored
    lastRows[index] = row
  }

  /// Sets the attribute with the given name; nil means no value.
  ///
  /// - Throws: ``ObjectGraphError/unknownKey(_:entity:)``, ``ObjectGraphError/wrongType(key:entity:expected:found:)``,
  ///   and ``ObjectGraphError/invalidRequest(_:)`` for a relationship.
  public func setValue(_ value: (any ManagedValue)?, forKey key: String) throws {
    switch entity.properties[key] {
    case .attribute(let index): try set(entity.attributes[index], to: value?.stored ?? .null)
    case .relationship:
      throw ObjectGraphError.invalidRequest(
        "\(entity.name).\(key) is a relationship, which a batch request cannot write; set it in a context")
    case .fetched, nil: throw entity.unknown(key)
    }
  }
}
