extension ManagedObject {
  /// What a fetched property finds, in all stores of the coordinator and with what was not saved: evaluated when first
  /// asked for, and again after a refresh.
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
  /// A fetched property with its request, which is compiled once.
  func fetchedProperty(_ index: Int, of entity: Entity) throws -> FetchedProperty {
    if let property = fetchedProperties[[entity.number, index]] { return property }
    let property = try FetchedProperty(entity.fetchedProperties[index], of: entity, in: model)
    fetchedProperties[[entity.number, index]] = property
    return property
  }
}
