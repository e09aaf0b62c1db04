import Foundation

/// A model as a store keeps it: everything that determines the format, without classes, defaults and validation rules.
///
/// A newer model alone cannot read the store, because migration must know the existing tables. The archive is JSON, so
/// that a person can read it in the `sqlite3` shell.
struct ModelArchive: Codable {
  /// The archive format that this version of the module writes. The module also reads earlier formats.
  static let currentFormat = 1

  struct EntityRecord: Codable {
    var name: String
    var formerName: String?
    var attributes: [AttributeRecord]
    var relationships: [RelationshipRecord]
    var uniquenessConstraints: [[String]]
    var indexes: [[String]]
  }

  struct AttributeRecord: Codable {
    var name: String
    var formerName: String?
    var type: AttributeType
    var isOptional: Bool
    /// Whether the attribute's value may be in a separate file. Nil means false, and is not encoded, to keep archives
    /// short.
    var isExternal: Bool?
  }

  struct RelationshipRecord: Codable {
    var name: String
    var formerName: String?
    var destination: String
    var inverse: String?
    var isToMany: Bool
    var isOptional: Bool
  }

  var format = currentFormat
  var entities: [EntityRecord]

  init(_ model: ManagedObjectModel) {
    entities = model.entities.map(\.description).map { entity in
      EntityRecord(
        name: entity.name, formerName: entity.renamingIdentifier,
        attributes: entity.attributes.map {
          AttributeRecord(
            name: $0.name, formerName: $0.renamingIdentifier, type: $0.type, isOptional: $0.isOptional,
            isExternal: $0.allowsExternalBinaryDataStorage ? true : nil)
        },
        relationships: entity.relationships.map {
          RelationshipRecord(
            name: $0.name, formerName: $0.renamingIdentifier, destination: $0.destination, inverse: $0.inverse,
            isToMany: $0.isToMany, isOptional: $0.isOptional)
        },
        uniquenessConstraints: entity.uniquenessConstraints, indexes: entity.indexes)
    }
  }

  /// Decodes an archive, or returns nil if it is damaged or its format is newer.
  init?(_ bytes: [UInt8]) {
    guard let archive = try? JSONDecoder().decode(ModelArchive.self, from: Data(bytes)),
      archive.format <= Self.currentFormat
    else { return nil }
    self = archive
  }

  func encoded() throws -> [UInt8] {
    let encoder = JSONEncoder()
    // Equal models must have equal bytes.
    encoder.outputFormatting = .sortedKeys
    return [UInt8](try encoder.encode(self))
  }

  /// Returns the model in the archive. The classes of its objects are not known.
  ///
  /// - Throws: ``ObjectGraphError/invalidModel(_:)``.
  func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(
      entities.map { entity in
        EntityDescription(
          name: entity.name, ownClass: nil,
          attributes: entity.attributes.map {
            AttributeDescription(
              $0.name, $0.type, optional: $0.isOptional, allowsExternalBinaryDataStorage: $0.isExternal ?? false,
              renamedFrom: $0.formerName)
          },
          relationships: entity.relationships.map(\.declaration), fetchedProperties: [],
          uniquenessConstraints: entity.uniquenessConstraints, indexes: entity.indexes,
          renamingIdentifier: entity.formerName)
      })
  }
}

extension ModelArchive.RelationshipRecord {
  fileprivate var declaration: RelationshipDescription {
    var declaration = RelationshipDescription(
      name, to: destination, inverse: inverse, optional: isOptional, renamedFrom: formerName)
    declaration.isToMany = isToMany
    return declaration
  }
}
