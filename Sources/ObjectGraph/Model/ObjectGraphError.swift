import Foundation

/// The errors of the object graph: of its models, contexts and stores. Each error names the entity, the key or the file
/// concerned.
public enum ObjectGraphError: Error, Sendable {
  /// The model is inconsistent. The text names the entity and the property.
  case invalidModel(String)
  /// The model has no entity of this name.
  case unknownEntity(String)
  /// The entity has no property with this name, or its property is of another kind, such as a relationship instead of
  /// an attribute.
  case unknownKey(String, entity: String)
  /// The property cannot store the value.
  case wrongType(key: String, entity: String, expected: String, found: String)
  /// A predicate or a sort key does not fit the entity. The text names the part that does not fit.
  case invalidRequest(String)
  /// The object no longer exists in the store, so its values cannot be read.
  case inaccessible(ManagedObjectID)
  /// The object belongs to another context than the one that uses it, or to no context any more.
  case foreignObject(String)
  /// Objects violate rules of the model. The list names all violations. Nothing was written.
  case validation([ValidationFailure])
  /// Another writer has changed or deleted the objects in the store, and the merge policy does not resolve the
  /// conflict. Nothing was written.
  case conflicts([MergeConflict])
  /// Objects share values that must be unique. Nothing was written.
  case constraints([ConstraintConflict])
  /// The store was created with another model, which differs in the named entities. The options do not allow migration.
  case incompatibleModel(file: String, entities: [String])
  /// The store was created with another model, which differs in the named entities. The options allow migration, but
  /// not inferring the mapping between the two models.
  case missingMapping(file: String, entities: [String])
  /// No mapping between the store's model and the new model can be inferred. The text names the entity and the
  /// property.
  case cannotInferMapping(file: String, String)
  /// The file is not a store, or is damaged.
  case damaged(file: String, String)
  /// The file or its directory does not exist, or the path leads to something else, such as a directory.
  case cannotOpen(file: String, String)
  /// The file or its directory cannot be written.
  case readOnly(file: String, String)
  /// The disk is full.
  case diskFull(file: String, String)
  /// Another connection has locked the store.
  case busy(file: String, String)
  /// Any other error of the storage engine or the operating system.
  case store(file: String, String)
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
    case .invalidRequest(let text): text
    case .inaccessible(let id): "\(id) is not in its store any more"
    case .foreignObject(let text): text
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

/// A violation of one rule of the data model by one object, such as a missing value that is required.
public struct ValidationFailure: Sendable, Equatable, CustomStringConvertible {
  /// The ID of the invalid object.
  public let objectID: ManagedObjectID
  /// The name of the object's entity.
  public let entity: String
  /// The name of the invalid property.
  public let key: String
  /// The violated rule as the rest of a sentence about the property, such as `must not be empty`.
  public let reason: String

  public var description: String { "\(entity).\(key) \(reason)" }
}

/// A conflict between two versions of one object: the one that was changed in a context, and the one that is now in the
/// store.
public struct MergeConflict: Sendable, CustomStringConvertible {
  /// The ID of the object that has two versions.
  public let objectID: ManagedObjectID
  /// The version (Z_OPT) that the context had read before it changed the object.
  public let oldVersion: Int64
  /// The version (Z_OPT) that is now in the store, or 0 if the object was deleted from the store.
  public let newVersion: Int64
  let persistedSnapshot: Row?

  public var description: String {
    newVersion == 0
      ? "\(objectID) was changed here from version \(oldVersion), and deleted in the store"
      : "\(objectID) was changed here from version \(oldVersion), and is at version \(newVersion) in the store"
  }
}

/// A conflict between objects that share the values of a uniqueness constraint; the counterpart of
/// NSConstraintConflict.
///
/// The conflict is among several new or changed objects of a save, or between one such object and a stored object.
public final class ConstraintConflict: Sendable, CustomStringConvertible {
  /// The names of the properties that must be unique together.
  public let constraint: [String]
  /// The name of the objects' entity.
  public let entity: String
  /// The IDs of the objects that cannot all be saved: first those of changed objects in the order of their keys, then
  /// those of new objects in the order of their creation.
  public var conflictingObjectIDs: [ManagedObjectID] { [firstObjectID] + otherObjectIDs }
  /// The ID of the first conflicting object, usually the only one. A separate property avoids an array in most
  /// conflicts.
  let firstObjectID: ManagedObjectID
  private let otherObjectIDs: [ManagedObjectID]
  /// The ID of the stored object that already has the values that must be unique. Nil if only objects of this save
  /// have the same values.
  public let databaseObjectID: ManagedObjectID?
  let databaseSnapshot: Row?
  private let values: IndexKey

  init(
    constraint: [String], entity: String, objectID: ManagedObjectID, others: [ManagedObjectID] = [],
    databaseObjectID: ManagedObjectID? = nil, databaseSnapshot: Row? = nil, values: IndexKey
  ) {
    self.constraint = constraint
    self.entity = entity
    firstObjectID = objectID
    otherObjectIDs = others
    self.databaseObjectID = databaseObjectID
    self.databaseSnapshot = databaseSnapshot
    self.values = values
  }

  /// The unique values that the conflicting objects share, by property name. The value of a to-one relationship is its
  /// destination's key.
  package var constraintValues: [String: Value] {
    Dictionary(zip(constraint, values.values), uniquingKeysWith: { first, _ in first })
  }

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

  /// Returns the same conflict with other object IDs: each ID of an object of the save is replaced by the one that `id`
  /// returns for it.
  func renamed(_ id: (ManagedObjectID) -> ManagedObjectID) -> ConstraintConflict {
    ConstraintConflict(
      constraint: constraint, entity: entity, objectID: id(firstObjectID), others: otherObjectIDs.map(id),
      databaseObjectID: databaseObjectID, databaseSnapshot: databaseSnapshot, values: values)
  }
}
