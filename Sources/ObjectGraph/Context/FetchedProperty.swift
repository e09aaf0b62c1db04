/// A fetched property: its request, compiled once, and the sources of its variables.
final class FetchedProperty {
  private let request: FetchRequest<ManagedObject>
  private let variables: FetchedPropertyVariables

  /// Resolves the names in the declaration of a fetched property, which the model has checked.
  init(_ property: FetchedPropertyDescription, of entity: Entity, in model: ManagedObjectModel) throws {
    request = FetchRequest(property.destination, where: property.predicate, sortedBy: property.sortKeys)
    variables = try FetchedPropertyVariables(request.plan(for: model).predicate, from: entity, in: model)
  }

  /// Fetches the objects that are the value of the property for one object.
  func objects(of source: ManagedObject, in context: ManagedObjectContext) throws -> [ManagedObject] {
    let graph = ObjectSource(context: context)
    request.variables = try Dictionary(
      uniqueKeysWithValues: variables.paths.map { name, path in
        let operands = try path.values(from: source, in: graph).map { reached in
          switch reached {
          case .value(let value): Operand.value(value)
          case .object(let id): Operand.object(id)
          }
        }
        return (name, path.hasToMany ? .list(operands) : operands[0])
      })
    return try context.fetch(request)
  }
}

extension ManagedObject {
  /// Returns the objects that a fetched property finds in all stores of the coordinator and among unsaved changes. The
  /// property is evaluated on first access, and again after a refresh.
  ///
  /// - Throws: ``ObjectGraphError/unknownKey(_:entity:)``; others if a store cannot be read.
  public final func fetchedObjects(_ key: String) throws -> [ManagedObject] {
    guard case .fetched(let index) = entity.properties[key] else {
      throw ObjectGraphError.unknownKey(key, entity: entity.name)
    }
    if let objects = fetched?[index] { return objects }
    let context = try ownContext()
    let objects = try context.fetchedProperty(index, of: entity).objects(of: self, in: context)
    fetched = (fetched ?? [:]).merging([index: objects]) { $1 }
    return objects
  }
}

extension ManagedObjectContext {
  /// Returns a fetched property. It is created at its first use and kept.
  func fetchedProperty(_ index: Int, of entity: Entity) throws -> FetchedProperty {
    if let property = fetchedProperties[[entity.number, index]] { return property }
    let property = try FetchedProperty(entity.fetchedProperties[index], of: entity, in: model)
    fetchedProperties[[entity.number, index]] = property
    return property
  }
}
