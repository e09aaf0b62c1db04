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

/// The capability to add an attribute to the records of a collection: the schema change of an app's new version.
///
/// The fields of ``Record`` are fixed, so an added attribute is a further text of each record, which only this
/// protocol's members read. An engine with columns adds a column with a default without touching a row. An app on a
/// plain store reads, changes and writes every record.
///
/// After a migration, ``scan(_:with:in:_:)`` passes each record's own fields unchanged, with the attribute. The engine
/// decides what ``StorageBackend/read(_:in:_:)`` and similar members show of a migrated record, which is what an old
/// version of an app would see in a new version's file. The engine also decides whether putting a record again keeps
/// the record's attributes or resets them to their defaults.
public protocol Migrating {
  /// Gives every record of the collection the attribute with its default value, all or none. Adding an attribute again
  /// changes nothing: values that were set after the first call stay.
  ///
  /// - Throws: ``StoreError``; the store is then unchanged.
  func add(_ attribute: AddedAttribute, in collection: CollectionID) throws

  /// Passes each record in a range of keys to the body, with the record's value of an added attribute. The scan is in
  /// key order, and ends when the body returns false. A record that was put after the migration by code without the
  /// attribute has the default value.
  ///
  /// - Throws: ``StoreError``, and the body's errors.
  func scan(
    _ keys: ClosedRange<Int64>, with attribute: AddedAttribute, in collection: CollectionID,
    _ body: (RecordView, _ value: String) throws -> Bool
  ) throws

  /// Sets a record's value of an attribute that ``add(_:in:)`` has added. The change is one commit.
  ///
  /// - Returns: Whether the record exists.
  /// - Throws: ``StoreError``; the store is then unchanged.
  func set(_ attribute: AddedAttribute, to value: String, of key: Int64, in collection: CollectionID) throws
    -> Bool
}

extension Migrating {
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
