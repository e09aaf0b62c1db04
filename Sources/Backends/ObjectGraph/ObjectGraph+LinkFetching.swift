import ObjectGraph
import StorageContract

/// Reading of linked objects in Core Data's three ways: through a property of each object, by prefetching, or by one
/// joined fetch.
extension ObjectGraphBackend: LinkFetching {
  func read(linked way: LinkFetch, prefetching paths: [CollectionID: [[LinkStep]]]) throws {
    graph.page = ShownPage()
    graph.page.fetch = way
    guard way == .prefetch else { return }
    for (collection, paths) in paths {
      let entity = try StoreError.translating { try graph.entity(collection).entity }
      graph.page.prefetched[entity.name] = try paths.map { path in
        try path.map { try end($0.relationship, $0.direction).property.name }.joined(separator: ".")
      }
    }
  }
}

/// The objects on one page of an app's list, kept in memory, so that the app need not fetch the objects again.
struct ShownPage {
  var fetch = LinkFetch.join
  var prefetched: [String: [String]] = [:]
  private var objects: [String: [Int64: ManagedObject]] = [:]

  func object(_ key: Int64, _ entity: RecordEntity) -> ManagedObject? {
    guard let object = objects[entity.entity.name]?[key], !object.isDeleted, object.managedObjectContext != nil else {
      return nil
    }
    return object
  }

  mutating func keep(_ object: ManagedObject, _ key: Int64, _ entity: RecordEntity) {
    objects[entity.entity.name, default: [:]][key] = object
  }

  /// Releases the objects of the page, before the app shows the next page.
  mutating func turn() { objects = [:] }
}

extension RecordGraph {
  func object(_ key: Int64, _ entity: RecordEntity) throws -> ManagedObject? {
    guard page.fetch != .join else { return try entity.object(key, context) }
    if let object = page.object(key, entity) { return object }
    let object = try entity.object(key, context, prefetching: page.prefetched[entity.entity.name] ?? [])
    if let object { page.keep(object, key, entity) }
    return object
  }
}
