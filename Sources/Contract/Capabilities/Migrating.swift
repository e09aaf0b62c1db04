/// A text attribute that a schema migration adds to every record of a collection.
public struct AddedAttribute: Hashable, Sendable {
  /// The attribute's name: ASCII letters, digits and `_`, but no digit at the start and no name of a ``Record`` field
  /// in any letter case.
  public let name: String
  /// The attribute's value in records that were stored before the migration.
  public let defaultValue: String

  /// Describes a text attribute that a schema migration adds to records.
  ///
  /// - Throws: ``UsageError`` if the name is empty or not allowed: see ``name``.
  public init(_ name: String, defaultValue: String) throws {
    let isWord = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    guard let first = name.first, !first.isNumber, isWord else {
      throw UsageError(
        "attribute '\(name)': a name is made of ASCII letters, digits and '_', and does not begin with a digit")
    }
    guard !["id", "name", "group", "score", "modified", "payload"].contains(name.lowercased()) else {
      throw UsageError("attribute '\(name)' would hide a record's own field; give it another name")
    }
    self.name = name
    self.defaultValue = defaultValue
  }
}

/// A change of a collection's schema, as the new version of an app makes at its first launch.
public enum SchemaChange: Hashable, Sendable {
  /// The addition of a text attribute, with its default value, to every record.
  case add(AddedAttribute)
  /// The renaming of an attribute that an earlier migration has added. Its values stay, and its default value must not
  /// change.
  case rename(AddedAttribute, to: AddedAttribute)
  /// The removal of an added attribute and its values. `byRebuild` asks the engine to copy the other columns to a new
  /// table.
  case drop(AddedAttribute, byRebuild: Bool)
  /// The move of each nonempty payload to a new record with the same key in another collection. The payload of the old
  /// record is then empty.
  case split(into: CollectionID)

  /// Returns whether this change was already made, judged by the names of the attributes that a collection has now.
  /// Always false for ``split(into:)``.
  public func isMade(_ names: Set<String>) -> Bool {
    switch self {
    case .add(let attribute): names.contains(attribute.name)
    case .rename(let attribute, _), .drop(let attribute, _): !names.contains(attribute.name)
    case .split: false
    }
  }
}

/// The capability to change a collection's schema, as a new version of an app does. ``StorageBackend/commit(_:)`` may
/// lose the values of added attributes.
public protocol Migrating {
  /// Whether the engine can remove an attribute by copying the other columns to a new table.
  static var rebuildsTables: Bool { get }

  /// Returns the reason why a store with the given options cannot change schemas, or nil if it can.
  static func obstacleToMigrations(_ options: Options) -> String?

  /// Changes the schema of all records in a collection. Does nothing if the change was already made.
  ///
  /// - Throws: ``StoreError``; no record is changed then.
  func change(_ change: SchemaChange, in collection: CollectionID) throws

  /// Returns the names of the attributes that migrations have added to the records of a collection.
  ///
  /// - Throws: ``StoreError``.
  func attributes(in collection: CollectionID) throws -> Set<String>

  /// Reads the records in a range of keys, in key order, until the closure `body` returns false.
  ///
  /// - Parameter attribute: The added attribute whose value `body` also gets. For a record without a value, `body` gets
  ///   the attribute's default value.
  /// - Throws: ``StoreError``, and the errors of `body`.
  func scan(
    _ keys: ClosedRange<Int64>, with attribute: AddedAttribute, in collection: CollectionID,
    _ body: (RecordView, _ value: String) throws -> Bool
  ) throws

  /// Sets the value of an added attribute in one record, as one commit.
  ///
  /// - Returns: Whether the record exists.
  /// - Throws: ``StoreError``; the store is then unchanged.
  func set(_ attribute: AddedAttribute, to value: String, of key: Int64, in collection: CollectionID) throws
    -> Bool
}

extension Migrating {
  public static var rebuildsTables: Bool { false }
  public static func obstacleToMigrations(_ options: Options) -> String? { nil }

  /// Adds a text attribute with its default value to every record, unless the collection already has the attribute.
  ///
  /// - Throws: ``StoreError``; the store is then unchanged.
  public func add(_ attribute: AddedAttribute, in collection: CollectionID) throws {
    try change(.add(attribute), in: collection)
  }

  /// Returns the value of an added attribute in the record with the given key, or nil if no record has the key.
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
