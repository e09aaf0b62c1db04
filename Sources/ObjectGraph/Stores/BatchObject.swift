/// The attributes of one object of a ``BatchInsertRequest``, to be filled: no managed object, since nothing watches it.
public final class BatchObject {
  /// The entity of the objects.
  public let entity: Entity
  /// The values of a row, relationships included, which stay empty.
  private(set) var values: [Value]
  /// The places of the attributes that were given, for those who ask.
  private(set) var given: [Int] = []
  private let defaults: [Value]
  private let notesGiven: Bool

  init(_ entity: Entity, notesGiven: Bool) {
    self.entity = entity
    self.notesGiven = notesGiven
    defaults = entity.defaultValues + Array(repeating: .null, count: entity.columns.count - entity.defaultValues.count)
    values = defaults
  }

  /// Begins the next object.
  func clear() {
    // Most blocks set every attribute: where they lie, which costs less than another array.
    for place in defaults.indices { values[place] = defaults[place] }
    given.removeAll(keepingCapacity: true)
  }

  /// Sets an attribute; the quickest way, for those who keep the ``Attribute``.
  ///
  /// - Throws: ``ObjectGraphError/wrongType(key:entity:expected:found:)``.
  public func set(_ attribute: Attribute, to value: Value) throws {
    guard attribute.index < entity.attributes.count, entity.attributes[attribute.index] === attribute else {
      throw ObjectGraphError.unknownKey(attribute.name, entity: entity.name)
    }
    guard attribute.type.accepts(value) else {
      guard let converted = attribute.type.converted(value) else {
        throw ObjectGraphError.wrongType(
          key: attribute.name, entity: entity.name, expected: attribute.type.rawValue, found: "\(value)")
      }
      return put(converted, attribute.index)
    }
    put(value, attribute.index)
  }

  /// Sets an attribute by its name.
  ///
  /// - Throws: ``ObjectGraphError/unknownKey(_:entity:)``, ``ObjectGraphError/wrongType(key:entity:expected:found:)``, and
  ///   ``ObjectGraphError/invalidRequest(_:)`` for a relationship.
  public func setValue(_ value: (any ManagedValue)?, forKey key: String) throws {
    try set(entity.batchAttribute(key), to: value?.stored ?? .null)
  }

  private func put(_ value: Value, _ place: Int) {
    values[place] = value
    if notesGiven { given.append(place) }
  }
}

extension Entity {
  /// The attribute of a name, which a batch request is to write.
  ///
  /// - Throws: ``ObjectGraphError/invalidRequest(_:)`` if it is a relationship, ``ObjectGraphError/unknownKey(_:entity:)``.
  func batchAttribute(_ key: String) throws -> Attribute {
    switch properties[key] {
    case .attribute(let place): return attributes[place]
    case .relationship:
      throw ObjectGraphError.invalidRequest(
        "\(name).\(key) is a relationship, which a batch request cannot write; set it in a context")
    case .fetched, nil: throw ObjectGraphError.unknownKey(key, entity: name)
    }
  }
}
