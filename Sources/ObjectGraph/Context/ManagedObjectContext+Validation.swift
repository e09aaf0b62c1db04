extension ManagedObjectContext {
  /// Checks that the objects of a save obey the rules of the model. Throws all failures in one
  /// ``ObjectGraphError/validation(_:)``.
  func validate(_ changes: PendingChanges) throws {
    var failures: [ValidationFailure] = []
    for objects in [changes.inserted, changes.updated] {
      for object in objects { try check(object, &failures) }
    }
    for object in changes.deleted { failures += try denials(of: object) }
    if !failures.isEmpty { throw ObjectGraphError.validation(failures) }
  }

  private func check(_ object: ManagedObject, _ failures: inout [ValidationFailure]) throws {
    let entity = object.entity
    func fail(_ key: String, _ reason: String) {
      failures.append(ValidationFailure(objectID: object.objectID, key: key, reason: reason))
    }
    // Unchanged values were validated when they were saved.
    if !object.edits.isEmpty {
      for (index, isOnlyRequired) in entity.validated {
        // A required value is the most frequent rule, so its check avoids the slow access to the attribute.
        if isOnlyRequired, !object.edits[index].isNull { continue }
        let attribute = entity.attributes[index]
        if let reason = try failure(of: object.edits[attribute.index], attribute) { fail(attribute.name, reason) }
      }
    }
    for relationship in entity.relationships where !relationship.isOptional || relationship.description.count != nil {
      if relationship.isToMany {
        guard object.isInserted || object.toMany(relationship).hasChanges else { continue }
        let count = try object.destinations(of: relationship).count
        if count == 0 {
          if !relationship.isOptional { fail(relationship.name, "must not be empty") }
        } else if let bounds = relationship.description.count, !bounds.contains(count) {
          fail(relationship.name, "holds \(count) objects, not \(bounds.lowerBound) to \(bounds.upperBound)")
        }
      } else if try object.destination(of: relationship) == nil {
        fail(relationship.name, "must not be empty")
      }
    }
  }

  private func failure(of value: Value, _ attribute: Attribute) throws -> String? {
    let description = attribute.description
    switch value {
    case .null: return attribute.isOptional ? nil : "must not be empty"
    case .integer, .double:
      guard let range = description.range, let number = value.number, !range.contains(number) else { return nil }
      return "is \(value), not \(range.lowerBound) to \(range.upperBound)"
    case .string(let text):
      if let length = description.length, !length.contains(text.count) {
        return "has \(text.count) characters, not \(length.lowerBound) to \(length.upperBound)"
      }
      // The pattern is valid, because the model has checked it.
      if let pattern = description.pattern, try Regex(pattern).wholeMatch(in: text) == nil {
        return "does not match \(pattern)"
      }
      return nil
    case .binary(let bytes):
      guard let length = description.length, !length.contains(bytes.count) else { return nil }
      return "has \(bytes.count) bytes, not \(length.lowerBound) to \(length.upperBound)"
    }
  }
}
