// The typed accessors. A property cannot throw: what fails is kept by the context and thrown by a save. A read that
// failed shows the type's absent value, and the next save throws its error once. A property that refused what it was
// set to shows what it held before, and every save throws its error until it is set to something valid or the object is
// rolled back or refreshed: else the save after the failed one would write as if nothing had been lost.
//
// An object whose context is gone, or has let go of it, has no save that could throw anything. What it has in memory
// can still be read; anything else that fails stops the program with the reason, as an absent value would be taken for
// what the store holds.
//
// A wrapper that reaches the object around it must still declare a `wrappedValue`. The compiler refuses every use of
// it, being unavailable, so that its body never runs.

/// A property that is an attribute: `@Managed("studentName") var name: String`.
///
/// Where the attribute is absent and the type is not optional, it shows 0 or the empty text.
@propertyWrapper
public struct Managed<Value: ManagedValue> {
  private let key: String

  /// Names the attribute.
  public init(_ key: String) { self.key = key }

  @available(*, unavailable, message: "@Managed belongs into a subclass of ManagedObject")
  public var wrappedValue: Value {
    get { fatalError("unavailable") }
    set { fatalError("unavailable") }
  }

  public static subscript<Object: ManagedObject>(
    _enclosingInstance object: Object, wrapped wrapped: ReferenceWritableKeyPath<Object, Value>,
    storage storage: ReferenceWritableKeyPath<Object, Self>
  ) -> Value {
    get { object[object[keyPath: storage].key] }
    set { object[object[keyPath: storage].key] = newValue }
  }
}

/// A property that is a to-one relationship: `@ManagedToOne("student_class") var schoolClass: SchoolClass?`.
@propertyWrapper
public struct ManagedToOne<Destination: ManagedObject> {
  private let key: String

  /// Names the relationship.
  public init(_ key: String) { self.key = key }

  @available(*, unavailable, message: "@ManagedToOne belongs into a subclass of ManagedObject")
  public var wrappedValue: Destination? {
    get { fatalError("unavailable") }
    set { fatalError("unavailable") }
  }

  public static subscript<Object: ManagedObject>(
    _enclosingInstance object: Object, wrapped wrapped: ReferenceWritableKeyPath<Object, Destination?>,
    storage storage: ReferenceWritableKeyPath<Object, Self>
  ) -> Destination? {
    get {
      let key = object[keyPath: storage].key
      return object.catching(nil) { try object.object(try object.entity.relationship(key)) as? Destination }
    }
    set {
      let key = object[keyPath: storage].key
      object.keepingRefusal(of: key) { try object.set(try object.entity.relationship(key), to: newValue) }
    }
  }
}

/// A property that is a to-many relationship: `@ManagedToMany("student_course") var courses: Set<Course>`.
@propertyWrapper
public struct ManagedToMany<Destination: ManagedObject> {
  private let key: String

  /// Names the relationship.
  public init(_ key: String) { self.key = key }

  @available(*, unavailable, message: "@ManagedToMany belongs into a subclass of ManagedObject")
  public var wrappedValue: Set<Destination> {
    get { fatalError("unavailable") }
    set { fatalError("unavailable") }
  }

  public static subscript<Object: ManagedObject>(
    _enclosingInstance object: Object, wrapped wrapped: ReferenceWritableKeyPath<Object, Set<Destination>>,
    storage storage: ReferenceWritableKeyPath<Object, Self>
  ) -> Set<Destination> {
    get {
      let key = object[keyPath: storage].key
      return object.catching([]) {
        Set(try object.objects(try object.entity.relationship(key)).compactMap { $0 as? Destination })
      }
    }
    set {
      let key = object[keyPath: storage].key
      object.keepingRefusal(of: key) {
        try object.set(try object.entity.relationship(key), to: Set<ManagedObject>(newValue))
      }
    }
  }
}

/// A property that is a fetched property: `@ManagedFetched("neighbors") var neighbors: [HomeAddress]`.
@propertyWrapper
public struct ManagedFetched<Destination: ManagedObject> {
  private let key: String

  /// Names the fetched property.
  public init(_ key: String) { self.key = key }

  @available(*, unavailable, message: "@ManagedFetched belongs into a subclass of ManagedObject")
  public var wrappedValue: [Destination] { fatalError("unavailable") }

  public static subscript<Object: ManagedObject>(
    _enclosingInstance object: Object, wrapped wrapped: KeyPath<Object, [Destination]>,
    storage storage: KeyPath<Object, Self>
  ) -> [Destination] {
    let key = object[keyPath: storage].key
    return object.catching([]) { try object.fetchedObjects(key).compactMap { $0 as? Destination } }
  }
}

extension ManagedObject {
  /// An attribute by name, with the type that the caller expects; see ``Managed`` for what happens to errors.
  public final subscript<Value: ManagedValue>(key: String) -> Value {
    get {
      catching(Value.absent) {
        let attribute = try entity.attribute(key)
        let stored = try value(at: attribute.index)
        if let value = Value(stored: stored) { return value }
        if stored.isNull { return Value.absent }
        throw ObjectGraphError.wrongType(
          key: key, entity: entity.name, expected: attribute.type.rawValue, found: "\(Value.self)")
      }
    }
    set {
      keepingRefusal(of: key) { try setValue(newValue.stored, at: try entity.attribute(key).index) }
    }
  }

  /// Runs what sets a property; its error is thrown by each save until the property is set to something valid.
  final func keepingRefusal(of key: String, _ body: () throws -> Void) {
    do {
      try body()
    } catch {
      contextToTell(error).keep(error, ofSetting: key, self)
    }
  }

  /// Returns the context, which is to keep an error; the program stops if there is none.
  private final func contextToTell(_ error: any Error) -> ManagedObjectContext {
    guard let managedObjectContext else { fatalError("\(entity.name): \(error)") }
    return managedObjectContext
  }

  /// Runs what reads a property; its error is thrown by the context's next save.
  final func catching<Result>(_ fallback: Result, _ body: () throws -> Result) -> Result {
    do {
      return try body()
    } catch {
      contextToTell(error).keep(error)
      return fallback
    }
  }
}
