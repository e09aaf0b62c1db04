/// An entity as a model's author declares it.
///
///     EntityDescription(
///       "Students", class: Student.self,
///       attributes: [AttributeDescription("studentName", .string, optional: false)],
///       relationships: [RelationshipDescription("student_class", to: "Classes", inverse: "class_students")])
public struct EntityDescription: Sendable {
  /// The name, a Swift identifier; the table is called `Z` and this in capitals.
  public var name: String
  /// The class of its objects if it is one of the app's own. Models and stores make no objects; a context does, and
  /// there it is ``objectClass``.
  var ownClass: AnyClass?
  /// Its attributes.
  public var attributes: [AttributeDescription]
  /// Its relationships.
  public var relationships: [RelationshipDescription]
  /// Its fetched properties.
  public var fetchedProperties: [FetchedPropertyDescription]
  /// Sets of attributes and to-one relationships whose values no two objects may share. A set with an absent value
  /// is not compared, as in SQL.
  public var uniquenessConstraints: [[String]]
  /// The attributes and to-one relationships to index; several names form one index. A relationship always has an
  /// index.
  public var indexes: [[String]]
  /// The name before a rename, so that migration finds it.
  public var renamingIdentifier: String?

  /// Declares an entity; programs do so with the class, a model read from a store has none.
  init(
    _ name: String, ownClass: AnyClass?, attributes: [AttributeDescription],
    relationships: [RelationshipDescription], fetchedProperties: [FetchedPropertyDescription],
    uniquenessConstraints: [[String]], indexes: [[String]], renamedFrom: String?
  ) {
    self.name = name
    self.ownClass = ownClass
    self.attributes = attributes
    self.relationships = relationships
    self.fetchedProperties = fetchedProperties
    self.uniquenessConstraints = uniquenessConstraints
    self.indexes = indexes
    renamingIdentifier = renamedFrom
  }
}

/// An attribute as a model's author declares it, with what is checked before a save.
public struct AttributeDescription: Sendable {
  /// The name; the column is called `Z` and this in capitals.
  public var name: String
  /// The type of its values.
  public var type: AttributeType
  /// Whether the value may be absent in the store.
  public var isOptional: Bool
  /// The value in a new object.
  public var defaultValue: Value
  /// Bounds of a number, or of a date in seconds since 2001-01-01.
  public var range: ClosedRange<Double>?
  /// Bounds of a text's length in characters, or of bytes in their number.
  public var length: ClosedRange<Int>?
  /// A regular expression that a whole text has to match.
  public var pattern: String?
  /// Whether a SQLite store keeps a long value in a separate file beside the store; see
  /// ``StoreOptions/externalStorageThreshold``. For bytes only. Such a value can be compared only with nil.
  public var allowsExternalBinaryDataStorage: Bool
  /// The name before a rename, so that migration finds it.
  public var renamingIdentifier: String?

  /// Declares an attribute.
  public init(
    _ name: String, _ type: AttributeType, optional isOptional: Bool = true, default defaultValue: Value = .null,
    range: ClosedRange<Double>? = nil, length: ClosedRange<Int>? = nil, matching pattern: String? = nil,
    allowsExternalBinaryDataStorage: Bool = false, renamedFrom: String? = nil
  ) {
    self.name = name
    self.type = type
    self.isOptional = isOptional
    self.defaultValue = defaultValue
    self.range = range
    self.length = length
    self.pattern = pattern
    self.allowsExternalBinaryDataStorage = allowsExternalBinaryDataStorage
    renamingIdentifier = renamedFrom
  }
}

/// The rule for the objects at the other end of a relationship when an object is deleted.
public enum DeleteRule: String, Sendable, CaseIterable, Codable {
  /// Nothing: what pointed to the object goes on pointing to it.
  case noAction
  /// Their inverse is emptied, or loses the object.
  case nullify
  /// They are deleted, too.
  case cascade
  /// As long as there are any, the object cannot be deleted: the save fails.
  case deny
}

/// A relationship as a model's author declares it.
///
/// A to-many relationship needs an inverse: it is kept in the inverse's column, or in a join table if both are
/// to-many.
public struct RelationshipDescription: Sendable {
  /// The name; the column of a to-one relationship is called `Z` and this in capitals.
  public var name: String
  /// The entity at the other end.
  public var destination: String
  /// The relationship of that entity which leads back.
  public var inverse: String?
  /// Whether it leads to any number of objects, or to one at most.
  public var isToMany: Bool
  /// The rule for the objects at the other end when an object is deleted.
  public var deleteRule: DeleteRule
  /// Whether there may be none at the other end.
  public var isOptional: Bool
  /// Bounds of the number of objects of a to-many relationship, checked if there are any or if it is not optional.
  public var count: ClosedRange<Int>?
  /// The name before a rename, so that migration finds it.
  public var renamingIdentifier: String?

  /// Declares a to-one relationship.
  public init(
    _ name: String, to destination: String, inverse: String? = nil, deleteRule: DeleteRule = .nullify,
    optional isOptional: Bool = true, renamedFrom: String? = nil
  ) {
    self.name = name
    self.destination = destination
    self.inverse = inverse
    isToMany = false
    self.deleteRule = deleteRule
    self.isOptional = isOptional
    renamingIdentifier = renamedFrom
  }

  /// Declares a to-many relationship.
  public init(
    _ name: String, toMany destination: String, inverse: String, deleteRule: DeleteRule = .nullify,
    optional isOptional: Bool = true, count: ClosedRange<Int>? = nil, renamedFrom: String? = nil
  ) {
    self.name = name
    self.destination = destination
    self.inverse = inverse
    isToMany = true
    self.deleteRule = deleteRule
    self.isOptional = isOptional
    self.count = count
    renamingIdentifier = renamedFrom
  }
}

/// A property whose value is what a fetch finds: evaluated when first asked for, and again after a refresh.
///
/// In the predicate, the variable `$FETCH_SOURCE` stands for the object that is asked; key paths from it work too:
/// `zipCode == $FETCH_SOURCE.zipCode`.
///
///     FetchedPropertyDescription(
///       "neighbors", of: "HomeAddress",
///       where: Property("zipCode").compare(.equal, .variable("FETCH_SOURCE.zipCode")))
public struct FetchedPropertyDescription: Sendable {
  /// The variable that stands for the object that is asked, without its `$`; a path may follow it, after a point. Over
  /// a to-many relationship it is a list, for ``ComparisonOperator/in``.
  public static let source = "FETCH_SOURCE"

  /// The name.
  public var name: String
  /// The entity of the objects found.
  public var destination: String
  /// The predicate of the objects that are found.
  public var predicate: FetchPredicate
  /// In which order.
  public var sortKeys: [SortKey]

  /// Declares a fetched property.
  public init(
    _ name: String, of destination: String, where predicate: FetchPredicate, sortedBy sortKeys: [SortKey] = []
  ) {
    self.name = name
    self.destination = destination
    self.predicate = predicate
    self.sortKeys = sortKeys
  }
}
