/// The limit and the offset of a request, which select a part of the ordered result.
struct FetchWindow {
  var limit: Int
  var offset: Int

  static let all = FetchWindow(limit: 0, offset: 0)

  var isAll: Bool { limit <= 0 && offset <= 0 }

  func slice<Elements: RandomAccessCollection>(_ elements: Elements) -> Elements.SubSequence {
    let rest = elements.dropFirst(max(offset, 0))
    return limit > 0 ? rest.prefix(limit) : rest
  }

  func count(of all: Int) -> Int { slice(0..<all).count }

  /// Returns a window from the first object of the result to the end of this window, plus `count` more objects. Without
  /// a limit, returns the whole result.
  func widened(by count: Int) -> FetchWindow {
    guard limit > 0 else { return .all }
    let (end, isTooFar) = limit.addingReportingOverflow(max(offset, 0))
    return isTooFar || end > Int.max - count ? .all : FetchWindow(limit: end + count, offset: 0)
  }
}

/// One execution of a fetch: the plan, the range of the results to return, and the values of the variables.
struct StoreRequest {
  let plan: FetchPlan
  var window = FetchWindow.all
  var variables: [String: Operand] = [:]

  var entity: Entity { plan.entity }

  var unlimited: StoreRequest { StoreRequest(plan: plan, variables: variables) }

  func widened(by count: Int) -> StoreRequest {
    StoreRequest(plan: plan, window: window.widened(by: count), variables: variables)
  }
}

/// A fetch request prepared for a model: names are replaced by the model's entity, attributes and relationships.
final class FetchPlan {
  let entity: Entity
  let predicate: ResolvedPredicate?
  let order: [ResolvedSortKey]
  let model: ManagedObjectModel
  /// The fetch request compiled to SQL, cached here by a SQLite store. Nil before the first use.
  var compiled: AnyObject?

  init(entity: Entity, predicate: ResolvedPredicate?, order: [ResolvedSortKey], model: ManagedObjectModel) {
    self.entity = entity
    self.predicate = predicate
    self.order = order
    self.model = model
  }

  /// Returns prepared fetch requests for the objects of `entity` whose `path` leads to an object in `ids`. Each request
  /// handles at most 10,000 IDs.
  static func requests(
    for entity: Entity, leadingAlong path: ResolvedPath, to ids: [ManagedObjectID], _ model: ManagedObjectModel
  ) -> [StoreRequest] {
    stride(from: 0, to: ids.count, by: 10_000).map { start in
      let part = ids[start..<min(start + 10_000, ids.count)]
      let comparison = ResolvedComparison(
        path: path, comparison: .in, operand: .list(part.map { .object($0) }), name: entity.name)
      return StoreRequest(
        plan: FetchPlan(entity: entity, predicate: .comparison(comparison), order: [], model: model))
    }
  }

  private(set) lazy var dependencies = FetchDependency.all(of: self)
}

// MARK: - Order

extension FetchPlan {
  /// The position of an object or a row in the sort order: the values of the sort keys, then the ID.
  struct Position: Equatable {
    let values: [Value]
    let id: ManagedObjectID

    static func == (left: Self, right: Self) -> Bool {
      left.id == right.id && left.values.elementsEqual(right.values) { $0.isSame(as: $1) }
    }
  }

  func position<Source: PredicateSource>(of node: Source.Node, in source: Source) throws -> Position {
    let values = try order.map { try $0.path.values(from: node, in: source).first?.value ?? .null }
    return Position(values: values, id: source.id(of: node))
  }

  func isOrdered(_ left: Position, _ right: Position) -> Bool {
    for (index, key) in order.enumerated() {
      if left.values[index].precedes(right.values[index]) { return key.ascending }
      if right.values[index].precedes(left.values[index]) { return !key.ascending }
    }
    // New objects come last, in the order of their creation.
    if left.id.isTemporary || right.id.isTemporary {
      return left.id.isTemporary && right.id.isTemporary ? left.id.key > right.id.key : right.id.isTemporary
    }
    // Objects of several stores may have the same key.
    return left.id.key == right.id.key ? left.id.origin.precedes(right.id.origin) : left.id.key < right.id.key
  }

  func sorted<Source: PredicateSource>(_ nodes: [Source.Node], in source: Source) throws -> [Source.Node] {
    let positions = try nodes.map { ($0, try position(of: $0, in: source)) }
    return positions.sorted { isOrdered($0.1, $1.1) }.map(\.0)
  }

  /// Merges two sorted arrays of objects or rows into one sorted array.
  func merged<Source: PredicateSource>(
    _ nodes: [Source.Node], into others: [Source.Node], in source: Source
  ) throws -> [Source.Node] {
    var merged: [Source.Node] = []
    merged.reserveCapacity(nodes.count + others.count)
    var start = 0
    for node in nodes {
      let position = try position(of: node, in: source)
      let end = try others[start...].partitioningIndex { !isOrdered(try self.position(of: $0, in: source), position) }
      merged += others[start..<end]
      merged.append(node)
      start = end
    }
    return merged + others[start...]
  }
}

extension RandomAccessCollection where Index == Int {
  /// Returns the first index whose element meets a condition, or the end index. Elements that meet the condition must
  /// all be at the end.
  func partitioningIndex(where holds: (Element) throws -> Bool) rethrows -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if try holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
