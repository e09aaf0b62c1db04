/// The attributes of one object of a ``BatchInsertRequest``. It is not a managed object, because nothing observes it.
public final class BatchObject {
  /// The entity of the objects.
  public let entity: Entity
  /// The values of a row. Relationships are included, but stay empty.
  @exclusivity(unchecked) private(set) var values: [Value]
  private let defaults: [Value]
  /// The number of the row that last set each value, to compare with `row`, the number of the current row. A value that
  /// only an earlier row has set must be reset; most blocks set every attribute every time.
  @exclusivity(unchecked) private var lastRows: [Int]
  @exclusivity(unchecked) private var row = 0
  /// The identities of the attributes, which are compared without reference counting.
  private let attributes: [ObjectIdentifier]

  init(_ entity: Entity) {
    self.entity = entity
    attributes = entity.attributes.map { ObjectIdentifier($0) }
    defaults = entity.defaultValues + Array(repeating: .null, count: entity.columns.count - entity.defaultValues.count)
    values = defaults
    lastRows = Array(repeating: -1, count: entity.attributes.count)
  }

  /// Passes the next row to a block, which fills it.
  @inline(__always)
  func fill(_ body: (BatchObject) throws -> Bool) rethrows -> Bool {
    row += 1
    guard try !body(self) else { return false }
    for index in lastRows.indices where lastRows[index] != row { values[index] = defaults[index] }
    return true
  }

  /// The indices of the attributes that the current row has set.
  var given: [Int] { lastRows.indices.filter { lastRows[$0] == row } }

  /// Sets an attribute. This is the fastest access if the caller keeps the ``Attribute``.
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
  /// Returns the attribute with a name, to be written by a batch request.
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

/// New rows for a store, provided one after the other.
struct BatchRows {
  /// The treatment of a row whose unique values already exist.
  enum ConflictRule {
    case fail
    /// The stored row stays unchanged.
    case keepStored
    /// The stored row takes the given attributes.
    case replaceGiven
    /// The stored row takes all attributes.
    case replaceAll
  }

  let object: BatchObject
  let rule: ConflictRule
  let fill: (BatchObject) throws -> Bool

  var entity: Entity { object.entity }

  /// Whether a row may replace values of a stored row with the same unique values, or be dropped.
  var resolvesConflicts: Bool { rule != .fail && !entity.constraints.isEmpty }

  /// Fills the object with the next row, and returns whether there is one.
  @inline(__always)
  func next() throws -> Bool { try object.fill(fill) }

  /// The indices of the attributes that the current row replaces in the stored row. Empty if that row stays unchanged.
  var replacedPlaces: [Int] {
    switch rule {
    case .fail, .keepStored: []
    case .replaceGiven: object.given
    case .replaceAll: Array(entity.attributes.indices)
    }
  }
}
