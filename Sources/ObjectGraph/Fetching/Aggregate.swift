/// An aggregate of the objects that a fetch request finds, such as the sum of an attribute, computed by the store.
public struct Aggregate: Sendable {
  /// The function that an aggregate applies to the values of an attribute.
  public enum Function: String, Sendable {
    /// The number of objects that have a value of the attribute.
    case count
    /// The sum or the average of the attribute's values, which must be numbers.
    case sum, average
    /// The least or the greatest value of the attribute. Texts and bytes are compared byte by byte.
    case minimum, maximum
  }

  let function: Function
  let key: String

  /// Creates an aggregate that applies a function to the attribute with the name `key`.
  public init(_ function: Function, of key: String) {
    self.function = function
    self.key = key
  }
}

struct ResolvedAggregate {
  let function: Aggregate.Function
  let attribute: Attribute

  init(_ aggregate: Aggregate, _ entity: Entity) throws {
    function = aggregate.function
    attribute = try entity.attribute(aggregate.key)
    guard !attribute.isExternal || function == .count else {
      throw ObjectGraphError.invalidRequest(
        "'\(aggregate.key)' of \(entity.name) may be stored in a separate file, so \(function.rawValue) "
          + "cannot be computed for it")
    }
    guard attribute.type.kind == .number || (function != .sum && function != .average) else {
      throw ObjectGraphError.invalidRequest(
        "'\(aggregate.key)' of \(entity.name) is of type \(attribute.type.rawValue) and has no \(function.rawValue)")
    }
  }

  /// Converts an aggregate from a store to its result type. For example, the sum `0` of floating-point numbers becomes
  /// `0.0`. NaN becomes null, as in SQLite.
  func restored(_ value: Value) -> Value {
    switch function {
    case .count: value
    case .average: AttributeType.double.restored(value)
    case .sum: attribute.type == .double || attribute.type == .float ? AttributeType.double.restored(value) : value
    case .minimum, .maximum: attribute.type.restored(value)
    }
  }
}

// MARK: - In memory

extension ResolvedAggregate {
  /// Computes the aggregate of some rows in memory. As in SQLite, absent values do not count.
  ///
  /// - Throws: ``ObjectGraphError/store(file:_:)`` if a sum of integers overflows.
  func value(of rows: [Row], _ file: String) throws -> Value {
    let values = rows.lazy.map { $0[attribute.index] }.filter { !$0.isAbsent }
    switch function {
    case .count: return .integer(Int64(values.count { _ in true }))
    case .minimum: return values.min { $0.precedes($1) } ?? .null
    case .maximum: return values.max { $0.precedes($1) } ?? .null
    case .sum: return restored(try sum(values, file))
    case .average:
      // Without values, this is 0 / 0, which is NaN.
      let (sum, count) = values.reduce((0.0, 0.0)) { ($0.0 + ($1.number ?? 0), $0.1 + 1) }
      return restored(.double(sum / count))
    }
  }

  private func sum(_ values: some Sequence<Value>, _ file: String) throws -> Value {
    guard attribute.type != .double, attribute.type != .float else {
      return .double(values.reduce(0) { $0 + ($1.number ?? 0) })
    }
    var sum: Int64 = 0
    for case .integer(let number) in values {
      let (next, isTooGreat) = sum.addingReportingOverflow(number)
      guard !isTooGreat else {
        throw ObjectGraphError.store(
          file: file,
          "the sum of \(attribute.name) is too great (integer overflow); "
            + "sum fewer objects, or fetch them and add the values as Double")
      }
      sum = next
    }
    return .integer(sum)
  }
}
