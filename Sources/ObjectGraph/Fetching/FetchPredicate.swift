/// Which objects a fetch finds; the counterpart of NSPredicate.
///
/// Made of comparisons of properties, which `Property` builds:
///
///     Property("studentName").begins(with: "A") && Property("student_class.classNames") == "7B"
///     Property.any("student_course.courseName") == "Music"
///
/// or read from NSPredicate's format language by ``init(format:_:)``.
///
/// Every comparison is true or false, never unknown: with an absent value only `== nil` and `!=` are true. The same
/// holds for a predicate that runs as SQL and for one that looks at objects in memory.
public indirect enum FetchPredicate: Sendable, Equatable {
  /// All objects, or none.
  case constant(Bool)
  case comparison(Comparison)
  /// All of them hold; with none given, it holds.
  case and([FetchPredicate])
  /// At least one of them holds; with none given, it does not hold.
  case or([FetchPredicate])
  case not(FetchPredicate)

  public static func && (left: Self, right: Self) -> Self {
    // A chain becomes one list instead of a deep tree.
    if case .and(let parts) = left, parts.count > 1 { return .and(parts + [right]) }
    return .and([left, right])
  }

  public static func || (left: Self, right: Self) -> Self {
    if case .or(let parts) = left, parts.count > 1 { return .or(parts + [right]) }
    return .or([left, right])
  }

  public static prefix func ! (predicate: Self) -> Self { .not(predicate) }
}

/// How two values are compared.
public enum ComparisonOperator: Sendable {
  case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
  /// From the first of two values to the second one, both included.
  case between
  /// One of several values.
  case `in`
  /// Texts, byte by byte unless capitals are to be ignored.
  case contains, beginsWith, endsWith
  /// A whole text, where `*` stands for any characters and `?` for one.
  case like
}

/// A comparison of a property with a value.
public struct Comparison: Sendable, Equatable {
  /// The property or a path of names to it, or `SELF` for the object.
  public var path: String
  /// Over a to-many relationship: whether the comparison holds for any of the values.
  public var isAny: Bool
  public var comparison: ComparisonOperator
  public var operand: Operand
  /// Whether small letters and capitals are the same (`[c]`).
  public var ignoresCase: Bool

  /// Describes a comparison.
  public init(
    _ path: String, isAny: Bool = false, _ comparison: ComparisonOperator, _ operand: Operand,
    ignoringCase: Bool = false
  ) {
    self.path = path
    self.isAny = isAny
    self.comparison = comparison
    self.operand = operand
    ignoresCase = ignoringCase
  }
}

/// What a property is compared with.
public indirect enum Operand: Sendable, Equatable {
  case value(Value)
  /// An object, for a relationship or `SELF`.
  case object(ManagedObjectID)
  /// Several values, for `in` and `between`.
  case list([Operand])
  /// Another property of the same object.
  case path(String)
  /// A value that the request supplies: ``FetchRequest/variables``. The request is then compiled once for all values.
  case variable(String)
}

/// A property in a predicate.
public struct Property: Sendable {
  private let path: String
  private let isAny: Bool
  private var ignoresCase = false

  /// A property or a path of names over to-one relationships.
  public init(_ path: String) { (self.path, isAny) = (path, false) }

  private init(_ path: String, isAny: Bool) { (self.path, self.isAny) = (path, isAny) }

  /// A path over a to-many relationship: the comparison holds if it does for any of the values.
  public static func any(_ path: String) -> Property { Property(path, isAny: true) }

  /// The object itself.
  public static var object: Property { Property("SELF") }

  /// The same, small letters and capitals being the same.
  public var ignoringCase: Property {
    var copy = self
    copy.ignoresCase = true
    return copy
  }

  /// A comparison with any operand.
  public func compare(_ comparison: ComparisonOperator, _ operand: Operand) -> FetchPredicate {
    .comparison(Comparison(path, isAny: isAny, comparison, operand, ignoringCase: ignoresCase))
  }

  public static func == (left: Property, right: Value) -> FetchPredicate { left.compare(.equal, .value(right)) }
  public static func == (left: Property, right: some ManagedValue) -> FetchPredicate { left == right.stored }
  public static func == (left: Property, right: ManagedObject) -> FetchPredicate {
    left.compare(.equal, .object(right.objectID))
  }
  public static func != (left: Property, right: Value) -> FetchPredicate { left.compare(.notEqual, .value(right)) }
  public static func != (left: Property, right: some ManagedValue) -> FetchPredicate { left != right.stored }
  public static func != (left: Property, right: ManagedObject) -> FetchPredicate {
    left.compare(.notEqual, .object(right.objectID))
  }
  public static func < (left: Property, right: some ManagedValue) -> FetchPredicate {
    left.compare(.less, .value(right.stored))
  }
  public static func <= (left: Property, right: some ManagedValue) -> FetchPredicate {
    left.compare(.lessOrEqual, .value(right.stored))
  }
  public static func > (left: Property, right: some ManagedValue) -> FetchPredicate {
    left.compare(.greater, .value(right.stored))
  }
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

  /// A text that ends with another.
  public func ends(with text: String) -> FetchPredicate { compare(.endsWith, .value(.string(text))) }

  /// A text like a pattern, in which `*` stands for any characters and `?` for one.
  public func isLike(_ pattern: String) -> FetchPredicate { compare(.like, .value(.string(pattern))) }
}

/// What the objects of a fetch are ordered by; the counterpart of NSSortDescriptor.
///
/// Absent values come first, texts in the order of their bytes. Equals come in the order of their keys.
public struct SortKey: Sendable, Hashable {
  /// The attribute, or a path of names over to-one relationships.
  public var path: String
  public var ascending: Bool
  /// Whether small letters and capitals are the same.
  public var ignoresCase: Bool

  /// Describes an order.
  public init(_ path: String, ascending: Bool = true, ignoringCase: Bool = false) {
    self.path = path
    self.ascending = ascending
    ignoresCase = ignoringCase
  }
}
