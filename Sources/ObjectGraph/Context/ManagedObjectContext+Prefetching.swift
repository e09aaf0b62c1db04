extension ManagedObjectContext {
  /// Reads, in one go for each step of the path, what the objects' relationships lead to.
  func prefetch(_ path: String, of objects: [ManagedObject], _ entity: Entity) throws {
    var objects = objects
    var entity = entity
    for name in path.split(separator: ".") {
      let relationship = try entity.relationship(String(name))
      objects =
        relationship.isToMany
        ? try prefetchMany(relationship, of: objects) : try prefetchOne(relationship, of: objects)
      entity = model.destination(of: relationship)
    }
  }

  private func prefetchOne(_ relationship: Relationship, of objects: [ManagedObject]) throws -> [ManagedObject] {
    var ids: [ManagedObjectID: [ManagedObject]] = [:]
    for object in objects {
      if let id = try object.destination(of: relationship) { ids[id, default: []].append(object) }
    }
    let destinations = try realized(Array(ids.keys))
    for destination in destinations {
      for object in ids[destination.objectID] ?? [] { object.destinationObjects[relationship.index] = [destination] }
    }
    return destinations
  }

  private func prefetchMany(_ relationship: Relationship, of objects: [ManagedObject]) throws -> [ManagedObject] {
    let destination = model.destination(of: relationship)
    let faults = objects.filter { !$0.isInserted && $0.toMany(relationship).loaded == nil }
    for (origin, faults) in Dictionary(grouping: faults, by: \.objectID.origin) {
      let pairs = try persistentStoreCoordinator.destinations(
        of: relationship, from: faults.map(\.objectID), in: destination)
      let found = Dictionary(grouping: pairs, by: \.source)
      for object in faults {
        let stored = (found[object.objectID.key] ?? []).map {
          ManagedObjectID(entity: destination, origin: origin, key: $0.destination)
        }
        object.load(relationship, stored, self)
      }
    }
    var all: Set<ManagedObjectID> = []
    for object in objects { all.formUnion(try object.destinations(of: relationship)) }
    let destinations = try realized(Array(all))
    let byID = Dictionary(uniqueKeysWithValues: destinations.map { ($0.objectID, $0) })
    for object in objects {
      object.destinationObjects[relationship.index] = try object.destinations(of: relationship).compactMap { byID[$0] }
    }
    return destinations
  }

  /// The objects of the IDs with their rows, read in one go where they are not here.
  func realized(_ ids: [ManagedObjectID]) throws -> [ManagedObject] {
    let ids = ids.sorted(by: ManagedObjectID.isOrdered)
    var objects: [ManagedObjectID: ManagedObject] = [:]
    var missing: [ManagedObjectID] = []
    for id in ids {
      if let object = known(id), object.row != nil || object.isInserted {
        objects[id] = object
      } else {
        missing.append(id)
      }
    }
    for found in try persistentStoreCoordinator.rows(for: missing) {
      objects[found.id] = object(with: found.id, row: found.row)
    }
    return ids.compactMap { objects[$0] }
  }
}
