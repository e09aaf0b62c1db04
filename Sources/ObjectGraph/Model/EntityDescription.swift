/// The declaration of an entity in a data model, with its properties and constraints.
public struct EntityDescription: Sendable {
  /// The name of the entity: ASCII letters, digits and `_`, with a letter first. The SQLite table is named `Z` plus the
  /// name in capitals.
  public var name: String
  /// The class of the entity's objects. Nil means `ManagedObject`.
  var ownClass: AnyClass?
  /// The attributes of the entity.
  public var attributes: [AttributeDescription]
  /// The relationships of the entity.
  public var relationships: [RelationshipDescription]
  /// The fetched properties of the entity.
  public var fetchedProperties: [FetchedPropertyDescription]
  /// The lists of attributes and to-one relationships whose values must be unique in combination. Objects with an
  /// absent value are not compared.
  public var uniquenessConstraints: [[String]]
  /// The additional indexes, as lists of attributes and to-one relationships. Every to-one relationship has an index
  /// anyway.
  public var indexes: [[String]]
  /// The former name of the entity, by which a migration finds it in the old model. Nil if the entity was not renamed.
  public var renamingIdentifier: String?
}

/// The declaration of an attribute, with the rules that a save checks.
public struct AttributeDescription: Sendable {
  /// The name of the attribute. The SQLite column is named `Z` plus the name in capitals, as in `ZCLASSNAMES`.
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
  /// Whether a SQLite store keeps long binary values in separate files (see ``StoreOptions/externalStorageThreshold``).
  /// Predicates can then only test for nil.
  public var allowsExternalBinaryDataStorage: Bool
  /// The former name of the attribute, by which a migration finds it in the old model. Nil if the attribute was not
  /// renamed.
  public var renamingIdentifier: String?

  /// Declares an attribute, by default optional and without an initial value. For a migration, `renamedFrom` is its
  /// former name.
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
  /// The delete rule that leaves the related objects unchanged, so that they still refer to the deleted object.
  case noAction
  /// The delete rule that removes the references from the related objects to the deleted object.
  case nullify
  /// The delete rule that also deletes the related objects.
  case cascade
  /// The delete rule that forbids deleting an object with related objects. Related objects that the same save deletes
  /// do not count.
  case deny
}

/// The declaration of a to-one or to-many relationship. A to-many relationship needs an inverse, which leads back.
public struct RelationshipDescription: Sendable, Equatable {
  /// The name of the relationship. The SQLite column of a to-one relationship is named `Z` plus the name in capitals.
  public var name: String
  /// The name of the entity to which the relationship leads.
  public var destination: String
  /// The name of the inverse relationship, which leads back. Nil for none. A to-many relationship must have an inverse.
  public var inverse: String?
  /// Whether the relationship may lead to several objects. If false, it leads to at most one object.
  public var isToMany: Bool
  /// The rule for the related objects when an object with this relationship is deleted.
  public var deleteRule: DeleteRule
  /// Whether the relationship may be empty.
  public var isOptional: Bool
  /// The allowed number of objects in a to-many relationship, nil for any. An optional relationship may always be
  /// empty.
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
    self.init(
      name, to: destination, inverse: inverse, deleteRule: deleteRule, optional: isOptional, renamedFrom: renamedFrom)
    isToMany = true
    self.count = count
  }
}

/// The declaration of a fetched property, whose value is the result of a fetch. The fetch runs at the first access and
/// after a refresh.
public struct FetchedPropertyDescription: Sendable {
  /// The name of the predicate variable for the object with the fetched property. `FETCH_SOURCE.zipCode` is an
  /// attribute of the object. A to-many path requires the operator `in`.
  public static let source = "FETCH_SOURCE"

  /// The name of the fetched property.
  public var name: String
  /// The name of the entity whose objects are fetched.
  public var destination: String
  /// The condition for the fetched objects, in which `$FETCH_SOURCE` is the object with the fetched property.
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
