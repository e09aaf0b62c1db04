/// A figure about all objects that a request finds, computed by the store.
public struct Aggregate: Sendable {
  /// What is computed.
  public enum Function: String, Sendable {
    /// How many objects have a value.
    case count
    /// Of numbers.
    case sum, average
    /// Of anything that has an order.
    case minimum, maximum
  }

  /// What is computed.
  public var function: Function
  /// The attribute.
  public var key: String

  /// Describes a figure.
  public init(_ function: Function, of key: String) {
    self.function = function
    self.key = key
  }
}

/// An aggregate with its name resolved.
struct ResolvedAggregate {
  let function: Aggregate.Function
  let attribute: Attribute

  init(_ aggregate: Aggregate, _ entity: Entity) throws {
    function = aggregate.function
    attribute = try entity.attribute(aggregate.key)
    guard attribute.type.kind == .number || (function != .sum && function != .average) else {
      throw ObjectGraphError.invalidRequest(
        "'\(aggregate.key)' of \(entity.name) is of type \(attribute.type.rawValue) and has no \(function.rawValue)")
    }
  }

  /// A figure as the store computed it, in the kind that it is of.
  func restored(_ value: Value) -> Value {
    switch function {
    case .count, .average: value
    case .sum: attribute.type == .double || attribute.type == .float ? AttributeType.double.restored(value) : value
    case .minimum, .maximum: attribute.type.restored(value)
    }
  }
}

extension ManagedObjectContext {
  /// Figures about what a request finds in the store, without making objects; unsaved changes are not seen.
  ///
  /// - Parameters:
  ///   - request: What to look at. Its order and limits are not used.
  ///   - aggregates: What to compute.
  ///   - groupKey: An attribute: figures are computed for each of its values, in the order of these values.
  /// - Returns: A line for each group, its value first and then the figures; without a group key, one line of
  ///   figures. Those without a value make a group, which comes first. A count or a sum of nothing is 0, every other
  ///   figure of nothing is null; an average is always a fraction.
  /// - Throws: ``ObjectGraphError/unknownKey(_:entity:)``; ``ObjectGraphError/invalidRequest(_:)`` for the sum of what
  ///   is no number; others if the store cannot be read, or if a sum of whole numbers is greater than any that is kept.
  public func aggregate<Object>(
    _ request: FetchRequest<Object>, _ aggregates: [Aggregate], groupedBy groupKey: String? = nil
  ) throws -> [[Value]] {
    checkQueue()
    let plan = try request.plan(for: model)
    let resolved = try aggregates.map { try ResolvedAggregate($0, plan.entity) }
    return try persistentStoreCoordinator.aggregate(
      plan, resolved, groupedBy: try groupKey.map(plan.entity.attribute), request.variables)
  }
}
