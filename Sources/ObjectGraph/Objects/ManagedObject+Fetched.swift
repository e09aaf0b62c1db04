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
