/// The declaration of an entity in a data model: the name, the properties and the constraints of its objects.
///
///     EntityDescription(
///       "Students", class: Student.self,
///       attributes: [AttributeDescription("studentName", .string, optional: false)],
///       relationships: [RelationshipDescription("student_class", to: "Classes", inverse: "class_students")])
public struct EntityDescription: Sendable {
  /// The name of the entity, a Swift identifier. Its SQLite table is named `Z` plus the name in capitals, as in
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
  /// Sets of properties (attributes, to-one relationships) whose combined values no two objects may share. A
  /// combination with an absent value is not compared, as in SQL.
  public var uniquenessConstraints: [[String]]
  /// The indexes to create, each as a list of names of attributes and to-one relationships. Every to-one relationship
  /// automatically has a separate index as well.
  public var indexes: [[String]]
  /// The name of the entity before it was renamed, so that migration finds the entity in the old model.
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
  /// The allowed values of a number, or of a date in seconds since 2001-01-01. Nil for no limit.
  public var range: ClosedRange<Double>?
  /// The allowed lengths of a text in characters, or of binary data in bytes. Nil for no limit.
  public var length: ClosedRange<Int>?
  /// A regular expression that must match the whole text of a value. Nil for no rule.
  public var pattern: String?
  /// Whether a SQLite store keeps a long binary value in a separate file; see
  /// ``StoreOptions/externalStorageThreshold``. Predicates can compare such an attribute only with nil.
  public var allowsExternalBinaryDataStorage: Bool
  /// The name of the attribute before it was renamed, so that migration finds the attribute in the old model.
  public var renamingIdentifier: String?

  /// Declares an attribute. By default, it is optional, has no initial value, and takes any value of its type.
  /// `renamedFrom` is its former name, for migration.
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

/// The rule for the objects at the other end of a relationship when the object that has the relationship is deleted.
public enum DeleteRule: String, Sendable, CaseIterable, Codable {
  /// The objects at the other end do not change. They still refer to the deleted object.
  case noAction
  /// The inverse relationship at the other end no longer refers to the deleted object.
  case nullify
  /// The objects at the other end are deleted as well.
  case cascade
  /// The object cannot be deleted while the relationship leads to objects that remain: the save fails.
  case deny
}

/// The declaration of a relationship.
///
/// A to-many relationship needs an inverse relationship, which leads back. If the inverse is to-one, its column stores
/// both relationships. Otherwise, a join table stores them.
public struct RelationshipDescription: Sendable {
  /// The name of the relationship. The SQLite column of a to-one relationship is named `Z` plus the name in capitals.
  public var name: String
  /// The name of the entity at the other end.
  public var destination: String
  /// The name of the relationship that leads back from the destination entity. Nil if there is none, which is allowed
  /// only for a to-one relationship.
  public var inverse: String?
  /// Whether the relationship leads to any number of objects. If false, it leads to at most one object.
  public var isToMany: Bool
  /// The rule for the objects at the other end when the object that has the relationship is deleted.
  public var deleteRule: DeleteRule
  /// Whether the relationship may be empty.
  public var isOptional: Bool
  /// The allowed number of objects in a to-many relationship, or nil for any number. An optional relationship may also
  /// be empty.
  public var count: ClosedRange<Int>?
  /// The name of the relationship before it was renamed, so that migration finds it in the old model.
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

/// The declaration of a fetched property: its value is the result of a fetch, made on first access and after a refresh.
///
/// In the predicate, the variable `$FETCH_SOURCE` is the object that has the property. Key paths from it are possible:
/// `zipCode == $FETCH_SOURCE.zipCode`.
///
///     FetchedPropertyDescription(
///       "neighbors", of: "HomeAddress",
///       where: Property("zipCode").compare(.equal, .variable("FETCH_SOURCE.zipCode")))
public struct FetchedPropertyDescription: Sendable {
  /// The name, without `$`, of the predicate variable that stands for the object with the fetched property. A dot and a
  /// key path may follow. If the path contains a to-many relationship, its value is a list, to be compared with
  /// ``ComparisonOperator/in``.
  public static let source = "FETCH_SOURCE"

  /// The name of the fetched property.
  public var name: String
  /// The name of the entity whose objects are fetched.
  public var destination: String
  /// The condition that an object must meet to be fetched. The variable `$FETCH_SOURCE` is the object that has the
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
