import Foundation

extension StoreOptions {
  /// Returns whether a store must be migrated before a model can open it.
  ///
  /// - Parameter hashes: The version hashes of the store's model.
  /// - Throws: ``ObjectGraphError/incompatibleModel(file:entities:)`` or
  ///   ``ObjectGraphError/missingMapping(file:entities:)`` if the options forbid a necessary migration.
  func needsMigration(_ file: String, from hashes: [String: Data], to model: ManagedObjectModel) throws -> Bool {
    let wanted = model.versionHashes
    guard hashes != wanted else { return false }
    let entities = Set(hashes.keys).union(wanted.keys).filter { hashes[$0] != wanted[$0] }.sorted()
    guard migratesAutomatically else { throw ObjectGraphError.incompatibleModel(file: file, entities: entities) }
    guard infersMapping else { throw ObjectGraphError.missingMapping(file: file, entities: entities) }
    return true
  }
}

extension MappingModel {
  /// The maximum number of objects that a migration error lists for one relationship.
  static let greatestFailureCount = 100

  /// Checks that existing objects have the relationships that the new model requires.
  ///
  /// - Parameter lacking: Returns the keys of objects without the relationship, at most ``greatestFailureCount``.
  /// - Throws: ``ObjectGraphError/validation(_:)`` if an object lacks a required relationship.
  func checkRequiredRelationships(_ origin: StoreIdentifier, lacking: (Relationship, Entity) throws -> [Int64]) throws {
    var failures: [ValidationFailure] = []
    for entity in entities where entity.source != nil {
      for (relationship, old) in zip(entity.destination.relationships, entity.relationships)
      where !relationship.isOptional && old?.isOptional ?? true {
        failures += try lacking(relationship, entity.destination).map {
          ValidationFailure(
            objectID: ManagedObjectID(entity: entity.destination, origin: origin, key: $0), key: relationship.name,
            reason: "is required by the new model, and is empty in \(entity.destination.name) \($0)")
        }
      }
    }
    if !failures.isEmpty { throw ObjectGraphError.validation(failures) }
  }
}
