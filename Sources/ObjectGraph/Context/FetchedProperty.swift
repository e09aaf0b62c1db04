/// A property whose value is the result of a fetch. The request is compiled once for all objects of the entity.
final class FetchedProperty {
  private let request: FetchRequest<ManagedObject>
  private let variablePaths: [String: ResolvedPath]

  init(_ property: FetchedPropertyDescription, of entity: Entity, in model: ManagedObjectModel) throws {
    request = FetchRequest(property.destination, where: property.predicate, sortedBy: property.sortKeys)
    variablePaths = try request.plan(for: model).predicate?.variablePaths(from: entity, in: model) ?? [:]
  }

  func objects(of source: ManagedObject, in context: ManagedObjectContext) throws -> [ManagedObject] {
    request.variables = try variablePaths.mapValues { path in
      let operands = try path.values(from: source, in: context).map { reached in
        switch reached {
        case .value(let value): Operand.value(value)
        case .object(let id): Operand.object(id)
        }
      }
      return path.hasToMany ? .list(operands) : operands[0]
    }
    return try context.fetch(request)
  }
}

extension ManagedObject {
  /// Returns the objects that a fetched property finds, including unsaved ones. The result is kept until a refresh.
  ///
  /// - Throws: ``ObjectGraphError/unknownKey(_:entity:)`` if `key` is not a fetched property. Other errors if a store
  ///   cannot be read.
  public final func fetchedObjects(_ key: String) throws -> [ManagedObject] {
    guard case .fetched(let index) = entity.properties[key] else { throw entity.unknown(key) }
    let keptIndex = entity.relationships.count + index
    if let objects = keptObjects[keptIndex] { return objects }
    let context = try ownContext()
    let numbers = [entity.number, index]
    let property =
      try context.fetchedProperties[numbers]
      ?? FetchedProperty(entity.fetchedProperties[index], of: entity, in: context.model)
    context.fetchedProperties[numbers] = property
    let objects = try property.objects(of: self, in: context)
    keptObjects[keptIndex] = objects
    return objects
  }
}
