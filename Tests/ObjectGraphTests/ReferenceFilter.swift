import Foundation
import ObjectGraph

/// A reference for the results of requests: a copy of all objects as plain values, and the meaning of predicates without
/// code of the engine.
struct ReferenceFilter {
  struct Node {
    var values: [String: Value] = [:]
    var destinations: [String: [ManagedObjectID]] = [:]
  }

  private enum End {
    case value(Value)
    case object(ManagedObjectID)

    var value: Value { if case .value(let value) = self { value } else { "an object" } }
    var isNull: Bool { if case .value(.null) = self { true } else { false } }
  }

  private let model: ManagedObjectModel
  private var nodes: [ManagedObjectID: Node] = [:]
  /// The objects of each entity in the order of their keys.
  private(set) var all: [String: [ManagedObjectID]] = [:]

  /// Copies everything that a context finds in the store.
  init(_ context: ManagedObjectContext) throws {
    model = context.persistentStoreCoordinator.managedObjectModel
    for entity in model.entities {
      let objects = try context.fetch(FetchRequest<ManagedObject>(entity.name))
      all[entity.name] = objects.map(\.objectID)
      for object in objects {
        var node = Node()
        for attribute in entity.attributes { node.values[attribute.name] = try object.value(of: attribute) }
        for relationship in entity.relationships {
          node.destinations[relationship.name] = try object.destinations(relationship).map(\.objectID)
        }
        nodes[object.objectID] = node
      }
    }
  }

  /// The results of a request that names its entity.
  func find(_ request: FetchRequest<ManagedObject>) -> [ManagedObjectID] {
    let found = (all[request.entityName ?? ""] ?? []).filter { id in
      request.predicate.map { holds($0, id, request.variables) } ?? true
    }
    let rows = found.enumerated().map { index, id in
      (id: id, index: index, keys: request.sortKeys.map { key(of: id, $0) })
    }
    let sorted = rows.sorted { left, right in
      for (index, key) in request.sortKeys.enumerated() {
        let sign = Self.order(left.keys[index], right.keys[index])
        if sign != 0 { return key.ascending ? sign < 0 : sign > 0 }
      }
      return left.index < right.index
    }
    let rest = sorted.dropFirst(request.fetchOffset).map(\.id)
    return request.fetchLimit > 0 ? Array(rest.prefix(request.fetchLimit)) : rest
  }

  private func key(of id: ManagedObjectID, _ key: SortKey) -> Value { ends(of: key.path, id).first?.value ?? .null }

  private func ends(of path: String, _ id: ManagedObjectID) -> [End] {
    if path == "SELF" { return [.object(id)] }
    var ids: [ManagedObjectID?] = [id]
    var entity = id.entity
    for name in path.split(separator: ".").map(String.init) {
      guard let relationship = entity.relationships.first(where: { $0.name == name }) else {
        return ids.map { .value($0.flatMap { nodes[$0]?.values[name] } ?? .null) }
      }
      ids = ids.flatMap { id -> [ManagedObjectID?] in
        let next = id.flatMap { nodes[$0]?.destinations[name] } ?? []
        return next.isEmpty && !relationship.isToMany ? [nil] : next
      }
      entity = model.destination(of: relationship)
    }
    return ids.map { $0.map { .object($0) } ?? .value(.null) }
  }

  private func holds(_ predicate: FetchPredicate, _ id: ManagedObjectID, _ variables: [String: Operand]) -> Bool {
    switch predicate {
    case .constant(let value): value
    case .not(let part): !holds(part, id, variables)
    case .and(let parts): !parts.contains { !holds($0, id, variables) }
    case .or(let parts): parts.contains { holds($0, id, variables) }
    case .comparison(let comparison):
      ends(of: comparison.path, id).contains { holds(comparison, $0, operands(comparison.operand, variables)) }
    }
  }

  private func operands(_ operand: Operand, _ variables: [String: Operand]) -> [End] {
    switch operand {
    case .value(let value): [.value(value)]
    case .object(let id): [.object(id)]
    case .list(let parts): parts.flatMap { operands($0, variables) }
    case .variable(let name): variables[name].map { operands($0, variables) } ?? []
    }
  }

  private func holds(_ comparison: ComparisonPredicate, _ left: End, _ right: [End]) -> Bool {
    func isEqual(_ right: End) -> Bool {
      switch (left, right) {
      case (.object(let left), .object(let right)): left == right
      case (.value(let left), .value(let right)): Self.order(left, right) == 0
      default: false
      }
    }
    func order(_ right: End) -> Int? { left.isNull || right.isNull ? nil : Self.order(left.value, right.value) }
    func texts(_ holds: (String, String) -> Bool) -> Bool {
      guard case .string(let left) = left.value, case .string(let right)? = right.first?.value else { return false }
      return holds(left, right)
    }
    switch comparison.comparison {
    case .equal: return isEqual(right[0])
    case .notEqual: return !isEqual(right[0])
    case .in: return !left.isNull && right.contains(where: isEqual)
    case .less: return order(right[0]).map { $0 < 0 } ?? false
    case .lessOrEqual: return order(right[0]).map { $0 <= 0 } ?? false
    case .greater: return order(right[0]).map { $0 > 0 } ?? false
    case .greaterOrEqual: return order(right[0]).map { $0 >= 0 } ?? false
    case .between: return (order(right[0]).map { $0 >= 0 } ?? false) && (order(right[1]).map { $0 <= 0 } ?? false)
    case .contains: return texts { Data($1.utf8).isEmpty || Data($0.utf8).range(of: Data($1.utf8)) != nil }
    case .beginsWith: return texts { Data($0.utf8).prefix($1.utf8.count) == Data($1.utf8) }
    }
  }

  /// Less than, equal to, or greater than zero.
  private static func order(_ left: Value, _ right: Value) -> Int {
    func sign<Number: Comparable>(_ left: Number, _ right: Number) -> Int { left < right ? -1 : left == right ? 0 : 1 }
    func bytes(_ left: [UInt8], _ right: [UInt8]) -> Int {
      for (left, right) in zip(left, right) where left != right { return left < right ? -1 : 1 }
      return sign(left.count, right.count)
    }
    switch (left, right) {
    case (.null, .null): return 0
    case (.null, _): return -1
    case (_, .null): return 1
    case (.integer(let left), .integer(let right)): return sign(left, right)
    case (.double(let left), .double(let right)): return sign(left, right)
    case (.integer(let left), .double(let right)): return mixed(left, right)
    case (.double(let left), .integer(let right)): return -mixed(right, left)
    case (.string(let left), .string(let right)): return bytes(Array(left.utf8), Array(right.utf8))
    case (.binary(let left), .binary(let right)): return bytes(left, right)
    default: preconditionFailure("\(left) and \(right) cannot be compared")
    }
  }

  private static func mixed(_ left: Int64, _ right: Double) -> Int {
    if let left = Double(exactly: left) { return left < right ? -1 : left == right ? 0 : 1 }
    // Beyond 2^53: so is the other, and then it is whole, or its size decides.
    if let right = Int64(exactly: right) { return left < right ? -1 : left == right ? 0 : 1 }
    return abs(right) < 0x1p53 ? (left < 0 ? -1 : 1) : (right > 0 ? -1 : 1)
  }
}
