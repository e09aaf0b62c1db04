/// A text attribute that a migration adds to every record of a collection.
public struct AddedAttribute: Hashable, Sendable {
  /// The attribute's name: ASCII letters, digits and `_`, and not the name of a field of ``Record``.
  public let name: String
  /// The attribute's value for records that existed before the migration.
  public let defaultValue: String

  /// Describes an attribute that a migration adds.
  ///
  /// - Throws: ``UsageError`` if the name is empty, starts with a digit, is the name of a field of ``Record``, or
  ///   contains a character other than ASCII letters, digits and `_`.
  public init(_ name: String, defaultValue: String) throws {
    let isWord = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    guard let first = name.first, !first.isNumber, isWord else {
      throw UsageError("attribute '\(name)': a name is made of ASCII letters, digits and '_', a digit not first")
    }
    guard !["id", "name", "group", "score", "modified", "payload"].contains(name.lowercased()) else {
      throw UsageError("attribute '\(name)' would hide a record's own field; give it another name")
    }
    self.name = name
    self.defaultValue = defaultValue
  }
}

/// A change of a collection's schema, which an app's new version makes at its first launch.
public enum SchemaChange: Hashable, Sendable {
  /// Every record gets the attribute with its default value.
  case add(AddedAttribute)
  /// An added attribute gets another name and keeps its values. Both have the same default value.
  case rename(AddedAttribute, to: AddedAttribute)
  /// An added attribute is removed with its values. With `byRebuild`, an engine with ``Migrating/rebuildsTables``
  /// copies the other columns to a new table, and the new table replaces the old one.
  case drop(AddedAttribute, byRebuild: Bool)
  /// Each payload that is not empty moves to another collection, into a record with the same key. The common key links
  /// the two records.
  case split(into: CollectionID)

  /// Returns whether the change was already made. `names` are the names of the added attributes that a collection has
  /// now. The result is false for ``split(into:)``, which changes no attribute.
  public func isMade(_ names: Set<String>) -> Bool {
    switch self {
    case .add(let attribute): names.contains(attribute.name)
    case .rename(let attribute, _), .drop(let attribute, _): !names.contains(attribute.name)
    case .split: false
    }
  }
}

/// The capability to change the schema of a collection, as an app's new version does.
///
/// The fields of ``Record`` are fixed, so an added attribute is a further text of each record, which only this
/// protocol's members read. An engine with columns adds a column with a default and changes no row. An app on a plain
/// store reads, changes and writes every record.
///
/// After a migration, ``scan(_:with:in:_:)`` passes each record's own fields unchanged, with the attribute.
/// ``StorageBackend/read(_:in:_:)`` and similar members correspond to an old version of an app that reads a new
/// version's file. The engine determines the fields that these members pass for a migrated record. The engine also
/// determines whether putting a record again keeps the record's attributes or resets them to their defaults.
public protocol Migrating {
  /// Whether the engine can copy a table to a new one in order to change it: see ``SchemaChange/drop(_:byRebuild:)``.
  static var rebuildsTables: Bool { get }

  /// Returns the reason why a store with the given options cannot change schemas, or nil if it can.
  static func obstacleToMigrations(_ options: Options) -> String?

  /// Changes the schema of a collection for all of its records or none. If the change was already made, the call has no
  /// effect. For example, adding an attribute again keeps the values that the attribute has.
  ///
  /// - Throws: ``StoreError``; the store is then unchanged.
  func change(_ change: SchemaChange, in collection: CollectionID) throws

  /// Returns the names of the attributes that the records of a collection have in addition to their own fields.
  ///
  /// - Throws: ``StoreError``.
  func attributes(in collection: CollectionID) throws -> Set<String>

  /// Passes each record in a range of keys to the body, with the record's value of an added attribute. The scan is in
  /// key order, and ends when the body returns false. A record that was put after the migration by code that does not
  /// know the attribute has the default value.
  ///
  /// - Throws: ``StoreError``, and the body's errors.
  func scan(
    _ keys: ClosedRange<Int64>, with attribute: AddedAttribute, in collection: CollectionID,
    _ body: (RecordView, _ value: String) throws -> Bool
  ) throws

  /// Sets a record's value of an attribute that was added. The change is one commit.
  ///
  /// - Returns: Whether the record exists.
  /// - Throws: ``StoreError``; the store is then unchanged.
  func set(_ attribute: AddedAttribute, to value: String, of key: Int64, in collection: CollectionID) throws
    -> Bool
}

extension Migrating {
  public static var rebuildsTables: Bool { false }
  public static func obstacleToMigrations(_ options: Options) -> String? { nil }

  /// Adds an attribute with its default value to every record of a collection. If the collection has the attribute
  /// already, nothing changes.
  ///
  /// - Throws: ``StoreError``; the store is then unchanged.
  public func add(_ attribute: AddedAttribute, in collection: CollectionID) throws {
    try change(.add(attribute), in: collection)
  }

  /// Returns a record's value of an added attribute, or nil if no record has the key.
  ///
  /// - Throws: ``StoreError``.
  public func value(
    of attribute: AddedAttribute, for key: Int64, in collection: CollectionID = .records
  ) throws -> String? {
    var found: String?
    try scan(key...key, with: attribute, in: collection) { _, value in
      found = value
      return false
    }
    return found
  }
}
