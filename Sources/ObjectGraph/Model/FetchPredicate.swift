/// A condition on the objects of a fetch; the counterpart of NSPredicate.
///
/// Made of comparisons of properties, which `Property` builds:
///
///     Property("studentName").begins(with: "A") && Property("student_class.classNames") == "7B"
///     Property.any("student_course.courseName") == "Music"
///
/// Every comparison is true or false, never unknown: with an absent value only `== nil` and `!=` are true. The same
/// holds for a predicate that runs as SQL and for one that looks at objects in memory.
public indirect enum FetchPredicate: Sendable, Equatable {
  /// All objects, or none.
  case constant(Bool)
  /// A property compares as described with a value.
  case comparison(ComparisonPredicate)
  /// All of them hold; with none given, it holds.
  case and([FetchPredicate])
  /// At least one of them holds; with none given, it does not hold.
  case or([FetchPredicate])
  /// It does not hold; as no comparison is unknown, this is true of all other objects.
  case not(FetchPredicate)

  /// Both hold.
  public static func && (left: Self, right: Self) -> Self {
    // A chain becomes one list instead of a deep tree.
    if case .and(let parts) = left, parts.count > 1 { return .and(parts + [right]) }
    return .and([left, right])
  }

  /// At least one of them holds.
  public static func || (left: Self, right: Self) -> Self {
    if case .or(let parts) = left, parts.count > 1 { return .or(parts + [right]) }
    return .or([left, right])
  }

  /// It does not hold.
  public static prefix func ! (predicate: Self) -> Self { .not(predicate) }
}

/// The quantifier of a comparison over a path with to-many relationships, which has many values.
public enum ComparisonModifier: Sendable {
  /// The path leads to one value.
  case direct
  /// It holds if it does for any of the values; with none, it does not hold.
  case any
}

/// The operators of comparisons.
public enum ComparisonOperator: Sendable {
  /// `==`: the same value; with an absent value, both absent.
  case equal
  /// `!=`: the opposite, true also where only one of the two is absent.
  case notEqual
  /// `<`: numbers by amount, texts by their bytes; never true of an absent value.
  case less
  /// `<=`, likewise.
  case lessOrEqual
  /// `>`, likewise.
  case greater
  /// `>=`, likewise.
  case greaterOrEqual
  /// From the first of two values to the second one, both included.
  case between
  /// One of several values.
  case `in`
  /// Texts, byte by byte.
  case contains, beginsWith
}

/// A comparison of a property with a value.
public struct ComparisonPredicate: Sendable, Equatable {
  /// The property or a path of names to it, or `SELF` for the object.
  public var path: String
  /// Over a to-many relationship: for which of the values it has to hold.
  public var modifier: ComparisonModifier
  /// The operator.
  public var comparison: ComparisonOperator
  /// The right-hand side.
  public var operand: Operand

  /// Describes a comparison.
  public init(
    _ path: String, _ modifier: ComparisonModifier = .direct, _ comparison: ComparisonOperator, _ operand: Operand
  ) {
    self.path = path
    self.modifier = modifier
    self.comparison = comparison
    self.operand = operand
  }
}

/// The right-hand side of a comparison.
public indirect enum Operand: Sendable, Equatable {
  /// A number, text, moment or bytes, or nothing: ``Value/null``.
  case value(Value)
  /// An object, for a relationship or `SELF`.
  case object(ManagedObjectID)
  /// Several values, for `in` and `between`.
  case list([Operand])
  /// A value that the request supplies: ``FetchRequest/variables``. The request is then compiled once for all values.
  case variable(String)
}

/// A property in a predicate.
public struct Property: Sendable {
  private let path: String
  private let modifier: ComparisonModifier

  /// A property or a path of names over to-one relationships.
  public init(_ path: String) { (self.path, modifier) = (path, .direct) }

  private init(_ path: String, _ modifier: ComparisonModifier) { (self.path, self.modifier) = (path, modifier) }

  /// Returns a path over a to-many relationship: the comparison holds if it does for any of the values.
  public static func any(_ path: String) -> Property { Property(path, .any) }

  /// The object itself.
  public static var object: Property { Property("SELF") }

  /// A comparison with any operand.
  public func compare(_ comparison: ComparisonOperator, _ operand: Operand) -> FetchPredicate {
    .comparison(ComparisonPredicate(path, modifier, comparison, operand))
  }

  /// The property has the value; `.null` stands for none.
  public static func == (left: Property, right: Value) -> FetchPredicate { left.compare(.equal, .value(right)) }
  /// The property has the value; nil stands for none.
  public static func == (left: Property, right: some ManagedValue) -> FetchPredicate { left == right.stored }
  /// The property has another value, or none.
  public static func != (left: Property, right: Value) -> FetchPredicate { left.compare(.notEqual, .value(right)) }
  /// The property has another value, or none.
  public static func != (left: Property, right: some ManagedValue) -> FetchPredicate { left != right.stored }
  /// The property has a value that comes before this one.
  public static func < (left: Property, right: some ManagedValue) -> FetchPredicate {
    left.compare(.less, .value(right.stored))
  }
  /// The property has this value or one that comes before it.
  public static func <= (left: Property, right: some ManagedValue) -> FetchPredicate {
    left.compare(.lessOrEqual, .value(right.stored))
  }
  /// The property has a value that comes after this one.
  public static func > (left: Property, right: some ManagedValue) -> FetchPredicate {
    left.compare(.greater, .value(right.stored))
  }
  /// The property has this value or one that comes after it.
  public static func >= (left: Property, right: some ManagedValue) -> FetchPredicate {
    left.compare(.greaterOrEqual, .value(right.stored))
  }

  /// From one value to another, both included.
  public func between(_ low: some ManagedValue, _ high: some ManagedValue) -> FetchPredicate {
    compare(.between, .list([.value(low.stored), .value(high.stored)]))
  }

  /// One of several values.
  public func isIn(_ values: some Sequence<some ManagedValue>) -> FetchPredicate {
    compare(.in, .list(values.map { .value($0.stored) }))
  }

  /// One of several objects.
  public func isIn(_ ids: some Sequence<ManagedObjectID>) -> FetchPredicate {
    compare(.in, .list(ids.map { .object($0) }))
  }

  /// A text that holds another.
  public func contains(_ text: String) -> FetchPredicate { compare(.contains, .value(.string(text))) }

  /// A text that starts with another.
  public func begins(with text: String) -> FetchPredicate { compare(.beginsWith, .value(.string(text))) }
}

/// An order of the objects of a fetch; the counterpart of NSSortDescriptor.
///
/// Absent values come first, texts in the order of their bytes. Equals come in the order of their keys.
public struct SortKey: Sendable, Hashable {
  /// The attribute, or a path of names over to-one relationships.
  public var path: String
  /// Whether the least comes first.
  public var ascending: Bool

  /// Creates an order by an attribute.
  public init(_ path: String, ascending: Bool = true) {
    self.path = path
    self.ascending = ascending
  }
}
