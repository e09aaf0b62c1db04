extension ManagedObjectContext {
  /// Reads the related objects of `objects` along a path such as `student_class.class_students`. One request reads the
  /// related objects of many objects.
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
      for object in ids[destination.objectID] ?? [] { object.keptObjects[relationship.index] = [destination] }
    }
    return destinations
  }

  private func prefetchMany(_ relationship: Relationship, of objects: [ManagedObject]) throws -> [ManagedObject] {
    let faults = objects.filter { !$0.isInserted && $0.toMany(relationship).loaded == nil }
    // Retains the objects until the lookups below have found them.
    var read: [ManagedObject] = []
    for faults in Dictionary(grouping: faults, by: \.objectID.origin).values {
      let found = Dictionary(grouping: try pairs(relationship, of: faults, &read), by: \.source)
      for object in faults { object.load(relationship, found[object.objectID.key] ?? [], self) }
    }
    var all: Set<ManagedObjectID> = []
    for object in objects { all.formUnion(try object.destinations(of: relationship)) }
    let destinations = try withExtendedLifetime(read) { try realized(Array(all)) }
    let byID = Dictionary(uniqueKeysWithValues: destinations.map { ($0.objectID, $0) })
    for object in objects {
      object.keptObjects[relationship.index] = try object.destinations(of: relationship).compactMap { byID[$0] }
    }
    return destinations
  }

  /// Returns the links of a to-many relationship as pairs of primary keys. If the links are stored in the rows of the
  /// related objects, appends these objects to `read`.
  private func pairs(
    _ relationship: Relationship, of objects: [ManagedObject], _ read: inout [ManagedObject]
  ) throws -> [(source: Int64, destination: Int64)] {
    let (ids, entity) = (objects.map(\.objectID), model.destination(of: relationship))
    guard let inverse = model.inverse(of: relationship), case .column(let index) = inverse.storage else {
      return try persistentStoreCoordinator.destinations(of: relationship, from: ids, in: entity, readGeneration())
    }
    let reading = try startReading()
    let rows = try persistentStoreCoordinator.rows(pointing: inverse, to: ids, of: entity, in: readGeneration())
    let pairs = rows.compactMap { found -> (source: Int64, destination: Int64)? in
      guard case .integer(let source) = found.row[index] else { return nil }
      read.append(object(with: found.id(entity), row: found.row, reading))
      return (source, found.key)
    }
    rowCache.add(read[...], reading)
    return pairs
  }

  /// Returns the existing objects with the given IDs, with their rows loaded. Rows that are not in memory are read in
  /// bulk.
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
    let reading = try startReading()
    for found in try persistentStoreCoordinator.rows(for: missing, in: readGeneration()) {
      objects[found.id] = object(with: found.id, row: found.row, reading)
    }
    rowCache.add(missing.compactMap { objects[$0] }[...], reading)
    return ids.compactMap { objects[$0] }
  }
}
