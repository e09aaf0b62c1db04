/// A condition that selects objects, such as `Property("name") == "Eva"`. Absent values equal each other and differ
/// from all other values, unlike NULL in SQL.
public indirect enum FetchPredicate: Sendable, Equatable {
  /// A condition with the same result for all objects: true or false.
  case constant(Bool)
  /// A comparison of a property with a value.
  case comparison(ComparisonPredicate)
  /// A condition that is true if all parts of it are true. Without parts, the condition is true.
  case and([FetchPredicate])
  /// A condition that is true if at least one part of it is true. Without parts, the condition is false.
  case or([FetchPredicate])
  /// The negation of a condition.
  case not(FetchPredicate)

  /// Returns a predicate that is true if both operands are.
  public static func && (left: Self, right: Self) -> Self {
    // A chain such as `a && b && c` becomes one list instead of a deeply nested tree.
    if case .and(let parts) = left, parts.count > 1 { return .and(parts + [right]) }
    return .and([left, right])
  }

  /// Returns a predicate that is true if at least one operand is.
  public static func || (left: Self, right: Self) -> Self {
    if case .or(let parts) = left, parts.count > 1 { return .or(parts + [right]) }
    return .or([left, right])
  }

  /// Returns a predicate that is true if the operand is false.
  public static prefix func ! (predicate: Self) -> Self { .not(predicate) }
}

/// A modifier of a comparison in a predicate. With `any`, an object may have several values, and one matching value is
/// enough.
public enum ComparisonModifier: Sendable {
  /// The modifier for a property with one value per object, such as `studentName`.
  case direct
  /// The modifier for a property with several values per object, such as the names of a student's courses. One matching
  /// value is enough.
  case any
}

/// The operator by which a predicate compares a property with a value.
public enum ComparisonOperator: Sendable {
  /// `==`: true if the two values are the same, or if both are absent.
  case equal
  /// `!=`: true if the two values differ, or if only one of them is absent.
  case notEqual
  /// `<`: compares numbers by value, and texts byte by byte. False if a value is absent.
  case less
  /// `<=`: compares numbers by value, and texts byte by byte. False if a value is absent.
  case lessOrEqual
  /// `>`: compares numbers by value, and texts byte by byte. False if a value is absent.
  case greater
  /// `>=`: compares numbers by value, and texts byte by byte. False if a value is absent.
  case greaterOrEqual
  /// The operator for a value between two bounds, both included.
  case between
  /// The operator for a value that is one of several values.
  case `in`
  /// Operators for texts: the property contains the given text, or begins with it. Texts are compared byte by byte.
  case contains, beginsWith
}

/// A comparison of a property with a value.
public struct ComparisonPredicate: Sendable, Equatable {
  /// The name of the property, a path such as `student_class.classNames`, or `SELF` for the object itself.
  public var path: String
  /// The modifier: `any` if the path contains a to-many relationship, otherwise `direct`.
  public var modifier: ComparisonModifier
  /// The operator, such as `<`.
  public var comparison: ComparisonOperator
  /// The right-hand side of the comparison, such as a value, an object or a variable.
  public var operand: Operand

  /// Creates a comparison of the property at a path with an operand.
  public init(
    _ path: String, _ modifier: ComparisonModifier = .direct, _ comparison: ComparisonOperator, _ operand: Operand
  ) {
    self.path = path
    self.modifier = modifier
    self.comparison = comparison
    self.operand = operand
  }
}

/// The right-hand side of a comparison in a predicate.
public indirect enum Operand: Sendable, Equatable {
  /// A number, text, date or bytes. ``Value/null`` means no value.
  case value(Value)
  /// The ID of an object, for a comparison with a relationship or with `SELF`.
  case object(ManagedObjectID)
  /// Several values, for the comparisons `in` (any number of values) and `between` (two bounds).
  case list([Operand])
  /// The name of a variable, whose value is in ``FetchRequest/variables``.
  case variable(String)
}

/// A property of an entity, as the left-hand side of a comparison such as `Property("studentName") == "Eva"`.
public struct Property: Sendable {
  private let path: String
  private let modifier: ComparisonModifier

  /// Creates a property from its name, or from a path over to-one relationships such as `student_class.classNames`.
  public init(_ path: String) { (self.path, modifier) = (path, .direct) }

  private init(_ path: String, _ modifier: ComparisonModifier) { (self.path, self.modifier) = (path, modifier) }

  /// Returns a property at the end of a to-many path. A comparison is true if at least one of the values meets the
  /// condition.
  public static func any(_ path: String) -> Property { Property(path, .any) }

  /// The object itself, for comparisons such as `Property.object == student`.
  public static var object: Property { Property("SELF") }

  /// Returns a predicate that compares the property with an operand.
  public func compare(_ comparison: ComparisonOperator, _ operand: Operand) -> FetchPredicate {
    .comparison(ComparisonPredicate(path, modifier, comparison, operand))
  }

  /// Returns a predicate for objects whose property has the value `right`. `.null` finds objects without a value.
  public static func == (left: Property, right: Value) -> FetchPredicate { left.compare(.equal, .value(right)) }
  /// Returns a predicate for objects in which the property has the value `right`. Nil finds objects without a value.
  public static func == (left: Property, right: some ManagedValue) -> FetchPredicate { left == right.stored }
  /// Returns a predicate for objects in which the property has no value or a value other than `right`.
  public static func != (left: Property, right: Value) -> FetchPredicate { left.compare(.notEqual, .value(right)) }
  /// Returns a predicate for objects in which the property has no value or a value other than `right`.
  public static func != (left: Property, right: some ManagedValue) -> FetchPredicate { left != right.stored }
  /// Returns a predicate for objects whose property is less than the value.
  public static func < (left: Property, right: some ManagedValue) -> FetchPredicate {
    left.compare(.less, .value(right.stored))
  }
  /// Returns a predicate for objects whose property is less than the value or equal to it.
  public static func <= (left: Property, right: some ManagedValue) -> FetchPredicate {
    left.compare(.lessOrEqual, .value(right.stored))
  }
  /// Returns a predicate for objects whose property is greater than the value.
  public static func > (left: Property, right: some ManagedValue) -> FetchPredicate {
    left.compare(.greater, .value(right.stored))
  }
  /// Returns a predicate for objects whose property is greater than the value or equal to it.
  public static func >= (left: Property, right: some ManagedValue) -> FetchPredicate {
    left.compare(.greaterOrEqual, .value(right.stored))
  }

  /// Returns a predicate for objects whose property is between two bounds, both included.
  public func between(_ low: some ManagedValue, _ high: some ManagedValue) -> FetchPredicate {
    compare(.between, .list([.value(low.stored), .value(high.stored)]))
  }

  /// Returns a predicate for objects whose property has one of several values.
  public func isIn(_ values: some Sequence<some ManagedValue>) -> FetchPredicate {
    compare(.in, .list(values.map { .value($0.stored) }))
  }

  /// Returns a predicate for objects whose relationship leads to one of the given IDs. `Property.object.isIn(ids)`
  /// finds the objects themselves.
  public func isIn(_ ids: some Sequence<ManagedObjectID>) -> FetchPredicate {
    compare(.in, .list(ids.map { .object($0) }))
  }

  /// Returns a predicate for objects whose property contains a text.
  public func contains(_ text: String) -> FetchPredicate { compare(.contains, .value(.string(text))) }

  /// Returns a predicate for objects whose property begins with a text.
  public func begins(with text: String) -> FetchPredicate { compare(.beginsWith, .value(.string(text))) }
}

/// An attribute by which a fetch is sorted. Absent values are the least, texts are compared byte by byte, and ties are
/// sorted by primary key.
public struct SortKey: Sendable, Hashable {
  /// The name of the attribute, or a path over to-one relationships such as `student_class.classNames`.
  public var path: String
  /// Whether the order is ascending, so that the least value comes first.
  public var ascending: Bool

  /// Creates a sort key for an attribute.
  public init(_ path: String, ascending: Bool = true) {
    self.path = path
    self.ascending = ascending
  }
}
