/// The attributes of one object of a ``BatchInsertRequest``. No context observes it, so it need not be a managed
/// object.
public final class BatchObject {
  /// The entity of the objects to insert.
  public let entity: Entity
  /// The values of the row to insert, in the order of its columns. The columns of to-one relationships are null.
  @exclusivity(unchecked) private(set) var values: [Value]
  private let defaults: [Value]
  /// For each attribute, the number of the last row for which the block set it. If that is not the current row, the
  /// attribute is reset to its default. Usually a block sets all attributes of each row, so that nothing is reset.
  @exclusivity(unchecked) private var lastRows: [Int]
  @exclusivity(unchecked) private var row = 0
  /// The identities of the entity's attributes. Comparing them needs no reference counting.
  private let attributes: [ObjectIdentifier]

  init(_ entity: Entity) {
    self.entity = entity
    attributes = entity.attributes.map { ObjectIdentifier($0) }
    defaults = entity.defaultValues + Array(repeating: .null, count: entity.columns.count - entity.defaultValues.count)
    values = defaults
    lastRows = Array(repeating: -1, count: entity.attributes.count)
  }

  /// Lets a block fill the object with the next row's values. Attributes that the block does not set get their
  /// defaults. Returns whether there is a row.
  @inline(__always)
  func fill(_ body: (BatchObject) throws -> Bool) rethrows -> Bool {
    row += 1
    guard try !body(self) else { return false }
    for index in lastRows.indices where lastRows[index] != row { values[index] = defaults[index] }
    return true
  }

  /// The indices of the attributes that the block has set for the current row.
  var given: [Int] { lastRows.indices.filter { lastRows[$0] == row } }

  /// Sets an attribute. This access is the fastest, provided that the caller keeps the ``Attribute``.
  ///
  /// - Throws: ``ObjectGraphError/wrongType(key:entity:expected:found:)``.
  public func set(_ attribute: Attribute, to value: Value) throws {
    let index = attribute.index
    guard index < attributes.count, attributes[index] == ObjectIdentifier(attribute) else {
      throw ObjectGraphError.unknownKey(attribute.name, entity: entity.name)
    }
    guard attribute.type.accepts(value) else {
      guard let converted = attribute.type.converted(value) else {
        throw ObjectGraphError.wrongType(
          key: attribute.name, entity: entity.name, expected: attribute.type.rawValue, found: "\(value)")
      }
      return put(converted, index)
    }
    put(value, index)
  }

  /// Sets an attribute by its name.
  ///
  /// - Throws: ``ObjectGraphError/unknownKey(_:entity:)``, ``ObjectGraphError/wrongType(key:entity:expected:found:)``,
  ///   and ``ObjectGraphError/invalidRequest(_:)`` for a relationship.
  public func setValue(_ value: (any ManagedValue)?, forKey key: String) throws {
    try set(entity.batchAttribute(key), to: value?.stored ?? .null)
  }

  @inline(__always)
  private func put(_ value: Value, _ index: Int) {
    values[index] = value
    lastRows[index] = row
  }
}

extension Entity {
  /// Returns the attribute that a batch request names.
  ///
  /// - Throws: ``ObjectGraphError/invalidRequest(_:)`` for a relationship, ``ObjectGraphError/unknownKey(_:entity:)``.
  func batchAttribute(_ key: String) throws -> Attribute {
    switch properties[key] {
    case .attribute(let index): return attributes[index]
    case .relationship:
      throw ObjectGraphError.invalidRequest(
        "\(name).\(key) is a relationship, which a batch request cannot write; set it in a context")
    case .fetched, nil: throw ObjectGraphError.unknownKey(key, entity: name)
    }
  }
}

/// The rows of a batch insertion. The same object takes the values of one row after another.
struct BatchRows {
  /// The treatment of a new row if a stored row has the same unique values.
  enum ConflictRule {
    case fail
    /// The stored row stays unchanged, and the new row is dropped.
    case keepStored
    /// The stored row takes the attributes that were set for the new row.
    case replaceGiven
    /// The stored row takes all attributes of the new row.
    case replaceAll
  }

  let object: BatchObject
  let rule: ConflictRule
  let fill: (BatchObject) throws -> Bool

  var entity: Entity { object.entity }

  /// Whether new rows may have the unique values of stored rows, without failing the insertion.
  var resolvesConflicts: Bool { rule != .fail && !entity.constraints.isEmpty }

  /// Fills `object` with the next row's values. Returns false after the last row.
  @inline(__always)
  func next() throws -> Bool { try object.fill(fill) }

  /// The indices of the new row's values that replace the values of a conflicting stored row. Empty if none do.
  var replacedPlaces: [Int] {
    switch rule {
    case .fail, .keepStored: []
    case .replaceGiven: object.given
    case .replaceAll: Array(entity.attributes.indices)
    }
  }
}
