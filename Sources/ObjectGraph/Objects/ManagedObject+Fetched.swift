extension ManagedObject {
  /// What a fetched property finds: evaluated when first asked for, and again after a refresh.
  ///
  /// - Throws: ``ObjectGraphError``.
  public final func fetchedObjects(_ key: String) throws -> [ManagedObject] {
    guard case .fetched(let index) = entity.properties[key] else {
      throw ObjectGraphError.unknownKey(key, entity: entity.name)
    }
    if let objects = fetched?[index] { return objects }
    let objects: [ManagedObject] = []
    fetched = (fetched ?? [:]).merging([index: objects]) { $1 }
    return objects
  }
}
