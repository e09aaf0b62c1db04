import Foundation

/// What a store says about itself before a model has opened it.
///
/// An app that meets a store of another version compares it with its models, or makes a model from it:
///
///     let metadata = try PersistentStoreCoordinator.metadata(forStoreOf: .sqlite, at: url)
///     if !model.isCompatible(with: metadata) { … }
public struct PersistentStoreMetadata: Sendable {
  /// What tells the store from every other one, for as long as it exists.
  public let identifier: UUID
  /// How the store keeps its objects.
  public let type: StoreType
  /// The model that the store was made by, as far as it decides how objects are kept: names, types, what is optional,
  /// relationships, constraints and indexes, renaming identifiers. Classes, defaults, checks and delete rules are the
  /// program's own.
  public let entities: [EntityDescription]
  /// That model's ``ManagedObjectModel/versionHashes``.
  public let modelVersionHashes: [String: Data]

  init(_ identifier: UUID, _ type: StoreType, _ model: ManagedObjectModel) {
    self.identifier = identifier
    self.type = type
    entities = model.entities.map(\.description)
    modelVersionHashes = model.versionHashes
  }
}

extension ManagedObjectModel {
  /// Whether the model can open the store without a migration.
  public func isCompatible(with metadata: PersistentStoreMetadata) -> Bool {
    versionHashes == metadata.modelVersionHashes
  }
}
