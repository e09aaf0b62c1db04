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
    guard !attribute.isExternal || function == .count else {
      throw ObjectGraphError.invalidRequest(
        "'\(aggregate.key)' of \(entity.name) may lie in a file of its own and has no \(function.rawValue)")
    }
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
