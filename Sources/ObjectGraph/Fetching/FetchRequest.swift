/// What to fetch: objects of one entity, which of them, in which order, how many.
///
/// A request that is used again keeps its compiled form; give what changes from use to use as
/// ``variables``.
public final class FetchRequest<Object: ManagedObject> {
  /// The entity, or nil for the one whose objects are of class `Object`.
  public var entityName: String? { didSet { compiled = nil } }
  /// Which objects, or nil for all.
  public var predicate: FetchPredicate? { didSet { compiled = nil } }
  /// In which order; without any, in that of the keys.
  public var sortKeys: [SortKey] { didSet { compiled = nil } }
  /// The values of the predicate's variables, by name.
  public var variables: [String: Operand] = [:]
  /// The greatest number of objects, or 0 for all.
  public var fetchLimit = 0
  /// How many objects of the order are passed over first.
  public var fetchOffset = 0
  /// How many rows ``ManagedObjectContext/fetchInBatches(_:)`` reads at a time, or 0 for all at once.
  public var fetchBatchSize = 0
  /// Whether the objects are faults, which take their values from their rows at the first access.
  public var returnsObjectsAsFaults = true
  /// Whether objects are found as they are in the context, with what has not been saved, or as they are in the store.
  public var includesPendingChanges = true
  /// Relationships, or paths of them, whose objects are to be read at once instead of one by one.
  public var relationshipKeyPathsForPrefetching: [String] = []

  private var compiled: (model: ManagedObjectModel, plan: FetchPlan)?

  /// Describes a fetch.
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
    let plan = try FetchPlan(entity: entity, predicate: predicate, sortKeys: sortKeys, model: model)
    compiled = (model, plan)
    return plan
  }
}

/// Which part of an order is wanted.
struct FetchWindow {
  var limit: Int
  var offset: Int

  static let all = FetchWindow(limit: 0, offset: 0)

  var isAll: Bool { limit <= 0 && offset <= 0 }

  func slice<Element>(_ elements: [Element]) -> ArraySlice<Element> {
    let rest = elements.dropFirst(max(offset, 0))
    return limit > 0 ? rest.prefix(limit) : rest
  }
}

/// A request with its names resolved.
final class FetchPlan {
  let entity: Entity
  let predicate: ResolvedPredicate?
  let order: [ResolvedSortKey]
  let model: ManagedObjectModel
  /// What a store has made of it.
  var compiled: AnyObject?

  init(entity: Entity, predicate: FetchPredicate?, sortKeys: [SortKey], model: ManagedObjectModel) throws {
    self.entity = entity
    self.model = model
    let resolver = PredicateResolver(model: model)
    self.predicate = try predicate.map { try resolver.resolve($0, entity) }
    order = try sortKeys.map { key in
      let path = try resolver.path(key.path, entity)
      guard !path.hasToMany, case .attribute = path.target else {
        throw ObjectGraphError.invalidRequest("cannot sort \(entity.name) by '\(key.path)': it is not one attribute")
      }
      return ResolvedSortKey(
        path: path, ascending: key.ascending, folds: key.ignoresCase && path.type?.kind == .text)
    }
  }

  /// The nodes in the request's order.
  func sorted<Source: PredicateSource>(_ nodes: [Source.Node], in source: Source) throws -> [Source.Node] {
    let keyed = try nodes.map { node in
      (node, try order.map { try $0.key(of: node, in: source) }, source.id(of: node))
    }
    return keyed.sorted { left, right in
      for (index, key) in order.enumerated() {
        if left.1[index].precedes(right.1[index]) { return key.ascending }
        if right.1[index].precedes(left.1[index]) { return !key.ascending }
      }
      // What has no key yet comes last, in the order in which it was made.
      if left.2.isTemporary || right.2.isTemporary {
        return left.2.isTemporary && right.2.isTemporary ? left.2.key > right.2.key : right.2.isTemporary
      }
      return left.2.key < right.2.key
    }.map(\.0)
  }
}

/// A sort key with its names resolved.
struct ResolvedSortKey {
  var path: ResolvedPath
  var ascending: Bool
  /// Whether texts are compared in small letters.
  var folds: Bool

  func key<Source: PredicateSource>(of node: Source.Node, in source: Source) throws -> Value {
    let value = try path.values(from: node, in: source).first?.value ?? .null
    if folds, case .string(let text) = value { return .string(Fold.fold(text)) }
    return value
  }
}
