import Foundation

/// The errors of models, contexts and stores. Each error names the entity, the key or the file.
public enum ObjectGraphError: Error, Sendable {
  /// The error for an inconsistent model. The text names the entity and the property that cause the error.
  case invalidModel(String)
  /// The error for an entity name that the model does not contain.
  case unknownEntity(String)
  /// The error for a property name that the entity does not contain, or for a property of the wrong kind, such as a
  /// relationship instead of an attribute.
  case unknownKey(String, entity: String)
  /// The error for a value that the property cannot store.
  case wrongType(key: String, entity: String, expected: String, found: String)
  /// The error for an invalid request, such as a predicate that does not fit the entity. The text names the unsuitable
  /// part.
  case invalidRequest(String)
  /// The error for an object that no longer exists in the store, so that its values cannot be read.
  case inaccessible(ManagedObjectID)
  /// The error for an object that cannot be used here, because it is deleted, has no context, or belongs to another
  /// context or store.
  case foreignObject(String)
  /// The error for objects that violate rules of the model. The array has all violations. Nothing was written to the
  /// store.
  case validation([ValidationFailure])
  /// The error for objects that both the context and another writer have changed or deleted, if the merge policy does
  /// not resolve the conflicts. Nothing was written.
  case conflicts([MergeConflict])
  /// The error for objects with equal values that must be unique. Nothing was written to the store.
  case constraints([ConstraintConflict])
  /// The error for a store with another model, if the options forbid a migration. `entities` names the entities that
  /// differ.
  case incompatibleModel(file: String, entities: [String])
  /// The error for a store that needs a migration, if the options forbid inferring a mapping. `entities` names the
  /// entities that differ.
  case missingMapping(file: String, entities: [String])
  /// The error for a store that cannot be migrated, because no mapping can be inferred. The text names the entity and
  /// the property.
  case cannotInferMapping(file: String, String)
  /// The error for a file that is damaged or is not a store.
  case damaged(file: String, String)
  /// The error for a file that cannot be opened, for example because it does not exist or is a directory.
  case cannotOpen(file: String, String)
  /// The error for a file or directory that cannot be written.
  case readOnly(file: String, String)
  /// The error for a full disk.
  case diskFull(file: String, String)
  /// The error for a store that another connection has locked.
  case busy(file: String, String)
  /// An error of a store or the operating system for which this enumeration has no other case.
  case store(file: String, String)
}

/// Throws an error if a condition does not hold.
@inline(__always)
func require(_ holds: Bool, _ error: @autoclosure () -> ObjectGraphError) throws {
  guard holds else { throw error() }
}

extension ObjectGraphError: CustomStringConvertible, LocalizedError {
  private static func first(of all: [some CustomStringConvertible]) -> String {
    let shown = all.prefix(3).map(\.description).joined(separator: "; ")
    return all.count > 3 ? "\(shown); and \(all.count - 3) more" : shown
  }

  /// A description of the error in one sentence.
  public var description: String {
    switch self {
    case .invalidModel(let text): "the model is not valid: \(text)"
    case .unknownEntity(let name): "the model has no entity '\(name)'"
    case .unknownKey(let key, let entity): "entity '\(entity)' has no property '\(key)' of the kind asked for"
    case .wrongType(let key, let entity, let expected, let found):
      "\(entity).\(key) takes \(expected), not \(found)"
    case .invalidRequest(let text), .foreignObject(let text): text
    case .inaccessible(let id): "\(id) is not in its store any more"
    case .validation(let failures): Self.first(of: failures)
    case .conflicts(let conflicts): Self.first(of: conflicts)
    case .constraints(let conflicts): Self.first(of: conflicts)
    case .incompatibleModel(let file, let entities):
      "\(file) was made by another model (it differs in \(entities.joined(separator: ", "))); open it with migration"
    case .missingMapping(let file, let entities):
      """
      \(file) was made by another model (it differs in \(entities.joined(separator: ", "))), and there is no mapping; \
      have it inferred
      """
    case .cannotInferMapping(let file, let text):
      "\(file) cannot be migrated, no mapping between the models can be inferred: \(text)"
    case .damaged(let file, let text): "\(file) is not a store or is damaged: \(text)"
    case .cannotOpen(let file, let text): "\(file) cannot be opened: \(text)"
    case .readOnly(let file, let text): "\(file) cannot be written: \(text)"
    case .diskFull(let file, let text): "no room on the disk for \(file): \(text)"
    case .busy(let file, let text): "\(file) is in use: \(text)"
    case .store(let file, let text): "\(file): \(text)"
    }
  }

  public var errorDescription: String? { description }
}

/// A violation of one rule of the data model by one object, such as a missing required value.
public struct ValidationFailure: Sendable, Equatable, CustomStringConvertible {
  /// The ID of the invalid object.
  public let objectID: ManagedObjectID
  /// The name of the object's entity.
  public var entity: String { objectID.entity.name }
  /// The name of the invalid property.
  public let key: String
  /// The violated rule as a text, such as `must not be empty`.
  public let reason: String

  public var description: String { "\(entity).\(key) \(reason)" }
}

/// A conflict between two versions of an object: a context has changed or deleted a version that is older than the
/// stored one.
public struct MergeConflict: Sendable, CustomStringConvertible {
  /// The ID of the object that both a context and another writer have changed or deleted.
  public let objectID: ManagedObjectID
  /// The version (Z_OPT) that the context had read before it changed the object.
  public let oldVersion: Int64
  /// The version (Z_OPT) that is now in the store, or 0 if the object was deleted from the store.
  public var newVersion: Int64 { persistedSnapshot?.version ?? 0 }
  let persistedSnapshot: Row?

  public var description: String {
    newVersion == 0
      ? "\(objectID) was changed here from version \(oldVersion), and deleted in the store"
      : "\(objectID) was changed here from version \(oldVersion), and is at version \(newVersion) in the store"
  }
}

/// A conflict between objects with equal values that must be unique, within a save or between a save and its store.
public struct ConstraintConflict: Sendable, CustomStringConvertible {
  /// The names of the properties that must be unique together.
  public let constraint: [String]
  /// The name of the objects' entity.
  public var entity: String { firstObjectID.entity.name }
  /// The IDs of the conflicting objects in the save. Changed objects come first, then new objects.
  public var conflictingObjectIDs: [ManagedObjectID] { [firstObjectID] + otherObjectIDs }
  /// The ID of the first object in ``conflictingObjectIDs``.
  let firstObjectID: ManagedObjectID
  let otherObjectIDs: [ManagedObjectID]
  /// The ID of the stored object with which the save conflicts. Nil for a conflict only within the save.
  public let databaseObjectID: ManagedObjectID?
  let databaseSnapshot: Row?
  /// The equal values of the conflicting objects. A to-one relationship has the key of the related object.
  let values: IndexKey

  public var description: String {
    let names = "\(entity) (\(constraint.joined(separator: ", "))) must be unique: "
    let shared = "(\(values.values.map(\.description).joined(separator: ", ")))"
    if let databaseObjectID {
      let objects = conflictingObjectIDs.map(\.description).joined(separator: ", ")
      return names + "\(objects) has \(shared), which is that of \(databaseObjectID) in the store"
    }
    let shown = conflictingObjectIDs.prefix(3).map(\.description).joined(separator: ", ")
    let others = conflictingObjectIDs.count > 3 ? " and \(conflictingObjectIDs.count - 3) more" : ""
    return names + "\(shown)\(others) all have \(shared)"
  }
}
