/// The result of a fetch request as a collection. Iteration reads the objects in batches, with only one batch in
/// memory.
public final class BatchedObjects<Object: ManagedObject>: RandomAccessCollection {
  private let ids: [ManagedObjectID]
  private let batchSize: Int
  private let prefetchedPaths: [String]
  private let context: ManagedObjectContext
  /// The objects in the result that were unsaved at the time of the fetch. The keys are the temporary IDs from that
  /// time.
  private var new: [ManagedObjectID: ManagedObject] = [:]
  private var batch: [Object] = []
  private var batchNumber = -1

  init(ids: [ManagedObjectID], request: FetchRequest<Object>, context: ManagedObjectContext) {
    self.ids = ids
    batchSize = request.fetchBatchSize > 0 ? request.fetchBatchSize : Swift.max(ids.count, 1)
    prefetchedPaths = request.relationshipKeyPathsForPrefetching
    self.context = context
    for id in ids where id.isTemporary { new[id] = context.known(id) }
  }

  /// The index of the first object.
  public var startIndex: Int { 0 }
  /// The index after the last object.
  public var endIndex: Int { ids.count }

  /// The object at an index. If the index is in another batch than the last access, the whole batch is read. If the
  /// read fails, the object may be a fault, and the next save throws the error.
  public subscript(position: Int) -> Object {
    let number = position / batchSize
    if number != batchNumber {
      // The former batch is released first, so that only one is in memory.
      batch = []
      let range = number * batchSize..<Swift.min((number + 1) * batchSize, ids.count)
      let ids = self.ids[range].map { new[$0]?.objectID ?? $0 }
      var objects: [ManagedObject] = []
      do {
        // Retains the objects until the lookups below have found them.
        objects = try context.realized(ids)
        for path in prefetchedPaths { try context.prefetch(path, of: objects, ids[0].entity) }
      } catch {
        context.keep(error)
      }
      // The downcast is safe: the plan of the request has checked the class.
      batch = withExtendedLifetime(objects) { ids.map { unsafeDowncast(context.object(with: $0), to: Object.self) } }
      batchNumber = number
    }
    return batch[position - batchNumber * batchSize]
  }
}
