// Accessors cannot throw, so a later save throws errors. Without a context, an error stops the program. Swift requires
// `wrappedValue`; the subscript replaces it.

/// A property wrapper for an attribute, as in `@Managed("studentName") var name: String`. A missing value reads as
/// ``ManagedValue/absent``, such as 0.
@propertyWrapper
public struct Managed<Value: ManagedValue> {
  private let key: String

  /// Creates a property of a managed object for the attribute with the given name.
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

/// A property wrapper for a to-one relationship, as in `@ManagedToOne("student_class") var schoolClass: SchoolClass?`.
@propertyWrapper
public struct ManagedToOne<Destination: ManagedObject> {
  private let key: String

  /// Creates a property of a managed object for the to-one relationship with the given name.
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
      object.catching((), ofSetting: key) { try object.set(try object.entity.relationship(key), to: newValue) }
    }
  }
}

/// A property wrapper for a to-many relationship, as in `@ManagedToMany("student_course") var courses: Set<Course>`.
@propertyWrapper
public struct ManagedToMany<Destination: ManagedObject> {
  private let key: String

  /// Creates a property of a managed object for the to-many relationship with the given name.
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
      object.catching((), ofSetting: key) {
        try object.set(try object.entity.relationship(key), to: Set<ManagedObject>(newValue))
      }
    }
  }
}

/// A property wrapper for a fetched property, as in `@ManagedFetched("neighbors") var neighbors: [HomeAddress]`. The
/// fetch runs at the first access.
@propertyWrapper
public struct ManagedFetched<Destination: ManagedObject> {
  private let key: String

  /// Creates a property wrapper for the fetched property that has the name `key` in the data model.
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
  /// The value of the attribute `key`. If a read fails, the next save throws the error. If a new value is invalid,
  /// every save throws the error until the value is replaced or rolled back. An error of an object without a context
  /// stops the program.
  public final subscript<Value: ManagedValue>(key: String) -> Value {
    get {
      catching(Value.absent) {
        let attribute = try entity.attribute(key)
        let stored = try value(at: attribute.index)
        if let value = Value(stored: stored) { return value }
        if stored.isNull { return Value.absent }
        throw entity.wrongType(attribute.index, found: "\(Value.self)")
      }
    }
    set {
      catching((), ofSetting: key) { try setValue(newValue.stored, at: try entity.attribute(key).index) }
    }
  }

  /// Returns the result of `body`, or `fallback` after an error, which the context keeps for a later save.
  ///
  /// - Parameter key: The property that `body` sets. Nil if `body` only reads.
  final func catching<Result>(
    _ fallback: Result, ofSetting key: String? = nil, _ body: () throws -> Result
  ) -> Result {
    do {
      return try body()
    } catch {
      guard let managedObjectContext else { fatalError("\(entity.name): \(error)") }
      if let key { managedObjectContext.keep(error, ofSetting: key, self) } else { managedObjectContext.keep(error) }
      return fallback
    }
  }
}
