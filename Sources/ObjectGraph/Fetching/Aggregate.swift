/// A figure about all objects that a request finds, computed by the store.
public struct Aggregate: Sendable {
  /// What is computed.
  public enum Function: String, Sendable {
    /// How many objects have a value.
    case count
    case sum, average, minimum, maximum
  }

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
}

extension ManagedObjectContext {
  /// Figures about what a request finds in the store, without making objects; unsaved changes are not seen.
  ///
  /// - Parameters:
  ///   - request: What to look at. Its order and limits are not used.
  ///   - aggregates: What to compute.
  ///   - groupKey: An attribute: figures are computed for each of its values, in the order of these values.
  /// - Returns: A line for each group, its value first and then the figures; without a group key, one line of
  ///   figures. A sum of nothing is 0, every other figure of nothing is null.
  /// - Throws: ``ObjectGraphError``.
  public func aggregate<Object>(
    _ request: FetchRequest<Object>, _ aggregates: [Aggregate], groupedBy groupKey: String? = nil
  ) throws -> [[Value]] {
    checkQueue()
    let plan = try request.plan(for: model)
    let resolved = try aggregates.map {
      ResolvedAggregate(function: $0.function, attribute: try plan.entity.attribute($0.key))
    }
    return try persistentStoreCoordinator.aggregate(
      plan, resolved, groupedBy: try groupKey.map(plan.entity.attribute), request.variables)
  }
}
