/// A condition that selects the objects of a fetch; the counterpart of NSPredicate.
///
/// It consists of comparisons of properties, which `Property` creates:
///
///     Property("studentName").begins(with: "A") && Property("student_class.classNames") == "7B"
///     Property.any("student_course.courseName") == "Music"
///
/// Unlike in SQL, every comparison is true or false, never unknown. If exactly one of the two compared values is
/// absent, only `!=` is true. If both are absent, only `==` is true. Predicates give the same results in SQL and in
/// memory.
public indirect enum FetchPredicate: Sendable, Equatable {
  /// A condition with the same result for all objects: always true or always false.
  case constant(Bool)
  /// A comparison of a property with a value.
  case comparison(ComparisonPredicate)
  /// A condition that is true if all parts are true. Without parts, it is true.
  case and([FetchPredicate])
  /// A condition that is true if at least one part is true. Without parts, it is false.
  case or([FetchPredicate])
  /// The negation of a condition. It is true for exactly those objects for which the condition is false.
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

/// The quantifier of a comparison in a predicate: whether the path to the compared property leads to one value or to
/// many.
public enum ComparisonModifier: Sendable {
  /// The path leads to one value.
  case direct
  /// The path leads to many values. The comparison is true if at least one of these values satisfies it.
  case any
}

/// The operator by which a predicate compares a property with a value.
public enum ComparisonOperator: Sendable {
  /// `==`: the same value, or both absent.
  case equal
  /// `!=`: the opposite of `==`. It is also true if only one of the two values is absent.
  case notEqual
  /// `<`: compares numbers by amount and texts by their bytes. It is false if a value is absent.
  case less
  /// `<=`: compares numbers by amount and texts by their bytes. It is false if a value is absent.
  case lessOrEqual
  /// `>`: compares numbers by amount and texts by their bytes. It is false if a value is absent.
  case greater
  /// `>=`: compares numbers by amount and texts by their bytes. It is false if a value is absent.
  case greaterOrEqual
  /// The property's value is between two bounds, both included.
  case between
  /// The property's value is one of several values.
  case `in`
  /// The property's text contains another text, or begins with it. Texts are compared byte by byte.
  case contains, beginsWith
}

/// A comparison of a property with a value.
public struct ComparisonPredicate: Sendable, Equatable {
  /// The name of the property, a dotted path such as `student_class.classNames`, or `SELF` for the object itself.
  public var path: String
  /// The quantifier: `any` for a path over a to-many relationship, otherwise `direct`.
  public var modifier: ComparisonModifier
  /// The operator, such as `<`.
  public var comparison: ComparisonOperator
  /// The value, object or list with which the property is compared, or the name of a variable for it.
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

/// The right-hand side of a comparison in a predicate, with which a property is compared.
public indirect enum Operand: Sendable, Equatable {
  /// A number, text, date or bytes. ``Value/null`` means no value.
  case value(Value)
  /// The ID of an object, to be compared with a relationship or with `SELF`.
  case object(ManagedObjectID)
  /// Several values, for the comparisons `in` (any number of values) and `between` (two bounds).
  case list([Operand])
  /// The name of a variable, whose value is in ``FetchRequest/variables``. Requests with other values need not be
  /// compiled again.
  case variable(String)
}

/// A property of an entity, from which the comparisons of a predicate are made.
public struct Property: Sendable {
  private let path: String
  private let modifier: ComparisonModifier

  /// Creates a property from its name, or from a path of names over to-one relationships.
  public init(_ path: String) { (self.path, modifier) = (path, .direct) }

  private init(_ path: String, _ modifier: ComparisonModifier) { (self.path, self.modifier) = (path, modifier) }

  /// Returns the property at the end of a path over a to-many relationship. A comparison with it is true if at least
  /// one of its values satisfies the comparison.
  public static func any(_ path: String) -> Property { Property(path, .any) }

  /// The object itself instead of one of its properties, to be compared with other objects.
  public static var object: Property { Property("SELF") }

  /// Returns a predicate that compares the property with an operand.
  public func compare(_ comparison: ComparisonOperator, _ operand: Operand) -> FetchPredicate {
    .comparison(ComparisonPredicate(path, modifier, comparison, operand))
  }

  /// Returns a predicate for objects whose property has the value. `.null` means no value.
  public static func == (left: Property, right: Value) -> FetchPredicate { left.compare(.equal, .value(right)) }
  /// Returns a predicate for objects whose property has the value. Nil means no value.
  public static func == (left: Property, right: some ManagedValue) -> FetchPredicate { left == right.stored }
  /// Returns a predicate for objects whose property has another value or none.
  public static func != (left: Property, right: Value) -> FetchPredicate { left.compare(.notEqual, .value(right)) }
  /// Returns a predicate for objects whose property has another value or none.
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

  /// Returns a predicate for objects whose relationship leads to one of several objects. With ``Property/object``, the
  /// predicate finds those objects themselves.
  public func isIn(_ ids: some Sequence<ManagedObjectID>) -> FetchPredicate {
    compare(.in, .list(ids.map { .object($0) }))
  }

  /// Returns a predicate for objects whose property contains a text.
  public func contains(_ text: String) -> FetchPredicate { compare(.contains, .value(.string(text))) }

  /// Returns a predicate for objects whose property begins with a text.
  public func begins(with text: String) -> FetchPredicate { compare(.beginsWith, .value(.string(text))) }
}

/// One criterion of a fetch's sort order; the counterpart of NSSortDescriptor.
///
/// Absent values count as the least. Texts are sorted by their bytes, and objects with equal values by their primary
/// keys.
public struct SortKey: Sendable, Hashable {
  /// The name of the attribute, or a dotted path to it over to-one relationships.
  public var path: String
  /// Whether the order is ascending, so that the least value comes first.
  public var ascending: Bool

  /// Creates a sort criterion for an attribute.
  public init(_ path: String, ascending: Bool = true) {
    self.path = path
    self.ascending = ascending
  }
}
