/// A query for objects of one entity. A change of ``variables`` takes less time than a new ``predicate``, which must be
/// compiled.
public final class FetchRequest<Object: ManagedObject> {
  /// The name of the entity whose objects are fetched. If nil, the type parameter `Object` determines the entity.
  public var entityName: String? { didSet { compiled = nil } }
  /// The condition that fetched objects must meet. Nil fetches all objects.
  public var predicate: FetchPredicate? { didSet { compiled = nil } }
  /// The sort order. If empty, objects are sorted by primary key.
  public var sortKeys: [SortKey] { didSet { compiled = nil } }
  /// The values of the variables in the predicate, by the name of the variable.
  public var variables: [String: Operand] = [:]
  /// The maximum number of objects to fetch, or 0 for all.
  public var fetchLimit = 0
  /// The number of objects to skip at the start of the result.
  public var fetchOffset = 0
  /// The number of rows that ``ManagedObjectContext/fetchInBatches(_:)`` reads at a time. 0 reads all at once.
  public var fetchBatchSize = 0
  /// Whether fetched objects load their values at the first access. If false, the fetch loads the values.
  public var returnsObjectsAsFaults = true
  /// The relationships whose objects are read together with the result, as paths such as
  /// `student_class.class_students`.
  public var relationshipKeyPathsForPrefetching: [String] = []

  private var compiled: (model: ManagedObjectModel, plan: FetchPlan)?

  /// Creates a request for objects of one entity. By default, this is the entity of the type parameter `Object`. A
  /// limit of 0 means no limit.
  public init(
    _ entityName: String? = nil, where predicate: FetchPredicate? = nil, sortedBy sortKeys: [SortKey] = [],
    limit: Int = 0, offset: Int = 0
  ) {
    self.entityName = entityName
    self.predicate = predicate
    self.sortKeys = sortKeys
    fetchLimit = limit
    fetchOffset = offset
  }

  var window: FetchWindow { FetchWindow(limit: fetchLimit, offset: fetchOffset) }

  func plan(for model: ManagedObjectModel) throws -> FetchPlan {
    if let compiled, compiled.model === model { return compiled.plan }
    let entity = try entityName.map(model.entity) ?? model.entity(of: Object.self)
    guard entity.objectClass is Object.Type else {
      throw ObjectGraphError.invalidRequest(
        "a fetch for \(Object.self) cannot find objects of entity '\(entity.name)', which are of class \(entity.objectClass)"
      )
    }
    let plan = FetchPlan(
      entity: entity, predicate: try predicate.map { try model.resolve($0, entity) },
      order: try sortKeys.map { try model.resolve($0, entity) }, model: model)
    compiled = (model, plan)
    return plan
  }

  func prepared(for model: ManagedObjectModel) throws -> StoreRequest {
    StoreRequest(plan: try plan(for: model), window: window, variables: variables)
  }
}
