import Foundation

/// A data model in JSON, saved in a store for later migrations. The JSON has no classes, defaults or validation rules.
struct ModelArchive: Codable {
  /// The format version of archived models. This version and earlier ones can be decoded.
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
    /// Whether a SQLite store may keep the attribute's value in a separate file. Nil means false.
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

  init?(_ bytes: [UInt8]) {
    guard let archive = try? JSONDecoder().decode(ModelArchive.self, from: Data(bytes)),
      archive.format <= Self.currentFormat
    else { return nil }
    self = archive
  }

  func encoded() throws -> [UInt8] {
    let encoder = JSONEncoder()
    // Sorted keys give equal models equal bytes.
    encoder.outputFormatting = .sortedKeys
    return [UInt8](try encoder.encode(self))
  }

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
          relationships: entity.relationships.map {
            var relationship = RelationshipDescription(
              $0.name, to: $0.destination, inverse: $0.inverse, optional: $0.isOptional, renamedFrom: $0.formerName)
            relationship.isToMany = $0.isToMany
            return relationship
          },
          fetchedProperties: [], uniquenessConstraints: entity.uniquenessConstraints, indexes: entity.indexes,
          renamingIdentifier: entity.formerName)
      })
  }
}
