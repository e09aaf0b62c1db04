/// The declaration of an entity in a data model, with its properties and constraints.
///
///     EntityDescription(
///       "Students", class: Student.self,
///       attributes: [AttributeDescription("studentName", .string, optional: false)],
///       relationships: [RelationshipDescription("student_class", to: "Classes", inverse: "class_students")])
public struct EntityDescription: Sendable {
  /// The name of the entity, a Swift identifier. Its SQLite table is `Z` plus the name in capitals, such as
  /// `ZSTUDENTS`.
  public var name: String
  /// The class of the entity's objects. Nil means `ManagedObject`.
  var ownClass: AnyClass?
  /// The attributes of the entity.
  public var attributes: [AttributeDescription]
  /// The relationships of the entity.
  public var relationships: [RelationshipDescription]
  /// The fetched properties of the entity.
  public var fetchedProperties: [FetchedPropertyDescription]
  /// The uniqueness constraints: lists of names of attributes and to-one relationships. Two objects may not have the
  /// same values of all properties in a list. Objects in which one of the values is absent are not compared.
  public var uniquenessConstraints: [[String]]
  /// The indexes to create: lists of names of attributes and to-one relationships. In addition, every to-one
  /// relationship automatically has an index.
  public var indexes: [[String]]
  /// The former name of the entity, by which a migration finds it in the old model. Nil if the entity was not renamed.
  public var renamingIdentifier: String?
}

/// The declaration of an attribute, with the rules that a save checks.
public struct AttributeDescription: Sendable {
  /// The name of the attribute. Its SQLite column is named `Z` plus the name in capitals, as in `ZCLASSNAMES`.
  public var name: String
  /// The type of the attribute's values.
  public var type: AttributeType
  /// Whether a stored object may lack a value of the attribute.
  public var isOptional: Bool
  /// The initial value of the attribute in a new object.
  public var defaultValue: Value
  /// The allowed range of a number, or of a date in seconds since 2001-01-01. Nil allows all values.
  public var range: ClosedRange<Double>?
  /// The allowed length of a text in characters, or of binary data in bytes. If nil, all lengths are allowed.
  public var length: ClosedRange<Int>?
  /// A regular expression that must match the whole text of a value. Nil for no rule.
  public var pattern: String?
  /// Whether a SQLite store keeps long binary values of the attribute in separate files; see
  /// ``StoreOptions/externalStorageThreshold``. Predicates can compare such an attribute only with nil.
  public var allowsExternalBinaryDataStorage: Bool
  /// The former name of the attribute, by which a migration finds it in the old model. Nil if the attribute was not
  /// renamed.
  public var renamingIdentifier: String?

  /// Declares an attribute. By default, the attribute is optional, has no initial value, and allows all values of its
  /// type. For a migration, `renamedFrom` is the former name of the attribute.
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

/// The rule for the related objects when an object is deleted.
public enum DeleteRule: String, Sendable, CaseIterable, Codable {
  /// The deletion of an object leaves the related objects unchanged, so that they still refer to the deleted object.
  case noAction
  /// The deletion of an object removes the references from the related objects to the deleted object.
  case nullify
  /// The deletion of an object also deletes the related objects.
  case cascade
  /// The deletion of an object is forbidden as long as there are related objects. The save fails, unless it deletes the
  /// related objects as well.
  case deny
}

/// The declaration of a relationship, which leads to at most one object (to-one) or to any number (to-many).
///
/// A to-many relationship needs an inverse relationship, which leads back. If the inverse is to-one, one column in the
/// table of the related objects stores both. For example, each row of the students' table has the key of the student's
/// class. If both are to-many, a join table stores pairs of keys.
public struct RelationshipDescription: Sendable, Equatable {
  /// The name of the relationship. The SQLite column of a to-one relationship is named `Z` plus the name in capitals.
  public var name: String
  /// The name of the entity to which the relationship leads.
  public var destination: String
  /// The name of the inverse relationship, which leads back. Nil if there is no inverse. A to-many relationship must
  /// have one.
  public var inverse: String?
  /// Whether the relationship may lead to several objects. If false, it leads to at most one object.
  public var isToMany: Bool
  /// The rule for the related objects when an object with this relationship is deleted.
  public var deleteRule: DeleteRule
  /// Whether the relationship may be empty.
  public var isOptional: Bool
  /// The allowed number of objects in a to-many relationship. If nil, all numbers are allowed. An optional relationship
  /// may always be empty.
  public var count: ClosedRange<Int>?
  /// The former name of the relationship, by which a migration finds it in the old model. Nil if it was not renamed.
  public var renamingIdentifier: String?

  /// Declares a to-one relationship, which leads to at most one object of the entity `destination`.
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

  /// Declares a to-many relationship, which leads to any number of objects of the entity `destination`.
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

/// The declaration of a fetched property: a property whose value is the result of a fetch.
///
/// The fetch runs at the first access, and again after a refresh of the object. In the predicate, the variable
/// `$FETCH_SOURCE` stands for the object that has the property:
///
///     FetchedPropertyDescription(
///       "neighbors", of: "HomeAddress",
///       where: Property("zipCode").compare(.equal, .variable("FETCH_SOURCE.zipCode")))
public struct FetchedPropertyDescription: Sendable {
  /// The name of the variable `$FETCH_SOURCE`, without `$`. It stands for the object that has the fetched property.
  ///
  /// A property of this object may follow, as in `FETCH_SOURCE.zipCode`. A path over a to-many relationship has several
  /// values, and needs the operator ``ComparisonOperator/in``.
  public static let source = "FETCH_SOURCE"

  /// The name of the fetched property.
  public var name: String
  /// The name of the entity whose objects are fetched.
  public var destination: String
  /// The condition for the objects to fetch. In the condition, `$FETCH_SOURCE` stands for the object with the fetched
  /// property.
  public var predicate: FetchPredicate
  /// The sort order of the fetched objects.
  public var sortKeys: [SortKey]

  /// Declares a fetched property, which finds the objects of the entity `destination` that meet a predicate.
  public init(
    _ name: String, of destination: String, where predicate: FetchPredicate, sortedBy sortKeys: [SortKey] = []
  ) {
    self.name = name
    self.destination = destination
    self.predicate = predicate
    self.sortKeys = sortKeys
  }
}
