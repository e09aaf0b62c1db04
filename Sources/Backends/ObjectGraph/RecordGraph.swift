import Foundation
import ObjectGraph
import StorageContract

/// An object graph with one entity for each collection of records. Its model includes the changes of earlier
/// migrations.
final class RecordGraph {
  private(set) var coordinator: PersistentStoreCoordinator
  private(set) var store: PersistentStore
  private(set) var context: ManagedObjectContext { didSet { addUndoManager() } }
  private var entities: [RecordEntity]
  /// The model for reopening the store before its next use; nil if the store is open. A failed migration can leave the
  /// store closed.
  private var closedModel: [EntityDescription]?
  var relations: RelationSchema?
  var page = ShownPage()
  /// All objects that were read. While the objects are in memory, a save notices changes by other processes. Nil if the
  /// objects need not be kept.
  var held: Set<ManagedObject>?
  private let type: StoreType
  private let url: URL?
  private let options: StoreOptions
  let form: KeyForm
  /// Whether each managed object context has an undo manager.
  let hasUndo: Bool
  /// The part of ``settings`` that describes the SQLite library. Empty for store types without SQLite.
  private let libraryWords: [String]

  init(_ environment: StoreEnvironment) throws {
    let given = environment.options
    let format = ObjectGraphBackend.format(given)
    let type = format.type
    let url = type == .inMemory ? nil : URL(fileURLWithPath: environment.path(format.file))
    let form = KeyForm(given)
    var options = StoreOptions()
    options.synchronous =
      switch environment.durability {
      case .shipped, .intact: .normal
      case .crash: .off
      case .durable: .full
      }
    options.keys = given[ObjectGraphBackend.allocation] == "joined" ? .joined : .separate
    (self.type, self.url, self.options, self.form) = (type, url, options, form)
    hasUndo = given[ObjectGraphBackend.undo] == "yes"
    libraryWords = type == .sqlite ? SQLiteLogUse.settings(given) + SQLiteLibrary.linked.settings : []
    (coordinator, store, context, entities) = try StoreError.translating {
      let open = { [options] (known: [EntityDescription]) in
        let descriptions = Self.entityNames(environment.collections).map { name in
          RecordEntity.description(
            name, hasExternalPayloads: given[ObjectGraphBackend.blobs] == "external", form,
            extending: known.first { $0.name == name })
        }
        return try Self.open(descriptions, type, url, options, form)
      }
      do {
        return try open([])
      } catch ObjectGraphError.incompatibleModel where url != nil {
        return try open(url.map { try PersistentStoreCoordinator.entities(ofStoreOf: type, at: $0) } ?? [])
      }
    }
    addUndoManager()
  }

  /// The settings of the open store, such as `synchronous=1`, for ``StorageBackend/settings``.
  var settings: String {
    ([store.settings] + libraryWords + (hasUndo ? ["undo=yes"] : [])).joined(separator: " ") + form.settings
  }

  var databasePath: String? { type == .sqlite ? url?.path : nil }

  /// Creates a second object graph on the store of `other`, with a separate managed object context on a private queue.
  init(besides other: RecordGraph) throws {
    (type, url, options, form, hasUndo) = (other.type, other.url, other.options, other.form, other.hasUndo)
    libraryWords = other.libraryWords
    (coordinator, store) = (other.coordinator, other.store)
    context = ManagedObjectContext(other.coordinator, .privateQueue)
    // Each entity reuses a fetch request, which must stay on one thread.
    entities = try other.entities.map { try RecordEntity($0.entity, other.form) }
    addUndoManager()
  }

  private func addUndoManager() { if hasUndo { context.undoManager = ObjectGraph.UndoManager() } }

  private static func open(
    _ descriptions: [EntityDescription], _ type: StoreType, _ url: URL?, _ options: StoreOptions, _ form: KeyForm
  ) throws -> (PersistentStoreCoordinator, PersistentStore, ManagedObjectContext, [RecordEntity]) {
    let model = try ManagedObjectModel(descriptions)
    let coordinator = PersistentStoreCoordinator(model)
    let store = try coordinator.addPersistentStore(type, at: url, options: options)
    let context = ManagedObjectContext(coordinator, .confinement)
    return (coordinator, store, context, try descriptions.map { try RecordEntity(model.entity($0.name), form) })
  }

  var descriptions: [EntityDescription] { entities.map(\.entity.description) }

  func migrate(_ collection: CollectionID, _ change: (inout EntityDescription) -> Void) throws {
    var new = descriptions
    change(&new[try collection.checked(new.count)])
    try migrate(to: new)
  }

  func migrate(to new: [EntityDescription]) throws {
    guard url != nil else { return try copy(into: new) }
    var migrating = options
    migrating.migratesAutomatically = true
    migrating.infersMapping = true
    try reopen(new, migrating)
  }

  func vacuum() throws {
    guard type == .sqlite else { return }
    var vacuuming = options
    vacuuming.vacuums = true
    try reopen(descriptions, vacuuming)
    // In WAL mode, the file shrinks only at the checkpoint.
    try coordinator.settle()
  }

  /// Reopens the store with another model or other options. After an error, restores the old model and options.
  private func reopen(_ new: [EntityDescription], _ options: StoreOptions) throws {
    let old = descriptions
    page.turn()
    try coordinator.remove(store)
    do {
      (coordinator, store, context, entities) = try Self.open(new, type, url, options, form)
    } catch {
      closedModel = old
      try? openAgain()
      throw error
    }
  }

  /// Copies all objects of an in-memory store to a new store with another model, because closing the store would delete
  /// its content.
  private func copy(into descriptions: [EntityDescription]) throws {
    page.turn()
    let new = try Self.open(descriptions, type, nil, options, form)
    var copies: [(object: ManagedObject, copy: ManagedObject)] = []
    for (old, entity) in zip(entities, new.3) {
      for object in try context.fetch(FetchRequest<ManagedObject>(old.entity.name)) {
        let copy = new.2.insert(entity.entity)
        for attribute in entity.entity.attributes {
          let names = [attribute.name, attribute.description.renamingIdentifier]
          guard let former = old.entity.attributes.first(where: { names.contains($0.name) }) else { continue }
          try copy.set(attribute, to: try object.value(of: former))
        }
        copies.append((object, copy))
      }
    }
    let copy = Dictionary(uniqueKeysWithValues: copies.map { ($0.object, $0.copy) })
    for (object, twin) in copies {
      for relationship in object.entity.relationships {
        let property = try twin.entity.relationship(relationship.name)
        if relationship.isToMany {
          for other in try object.objects(relationship).compactMap({ copy[$0] }) { try twin.add(other, to: property) }
        } else {
          try twin.set(property, to: try object.object(relationship).flatMap { copy[$0] })
        }
      }
    }
    try new.2.save()
    (coordinator, store, context, entities) = new
  }

  func entity(_ collection: CollectionID) throws -> RecordEntity {
    if closedModel != nil { try StoreError.translating { try openAgain() } }
    return entities[try collection.checked(entities.count)]
  }

  /// Fetches objects of a collection by the request that `request` makes for the collection's entity.
  func fetch(
    _ collection: CollectionID, _ request: (RecordEntity) -> FetchRequest<ManagedObject>
  ) throws -> (entity: RecordEntity, objects: [ManagedObject]) {
    try StoreError.translating {
      let entity = try entity(collection)
      return (entity, try context.fetch(request(entity)))
    }
  }

  private func openAgain() throws {
    guard let closedModel else { return }
    (coordinator, store, context, entities) = try Self.open(closedModel, type, url, options, form)
    self.closedModel = nil
  }

  func settle() throws {
    try openAgain()
    try coordinator.settle()
  }

  func close() throws {
    if closedModel == nil { try coordinator.remove(store) }
  }

  private static func entityNames(_ collections: [String]) -> [String] {
    collections.enumerated().map { index, name in
      let isWord = name.first?.isLetter == true && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
      return isWord ? name.prefix(1).uppercased() + name.dropFirst() : "Collection\(index + 1)"
    }
  }

  /// Runs `change`, which changes managed objects, and saves the changes. After an error, rolls back.
  func saving<Result>(_ change: () throws -> Result) throws -> Result {
    try StoreError.translating { try context.undoManager?.beginUndoGrouping() }
    // Ending the group cannot fail, because the changes have been saved or rolled back.
    defer { try? context.undoManager?.endUndoGrouping() }
    do {
      let result = try change()
      try StoreError.translating { try context.save() }
      return result
    } catch {
      context.rollback()
      throw error
    }
  }

  func apply(_ changes: [Change]) throws {
    var start = 0
    while start < changes.count {
      let collection = changes[start].collection
      var end = start + 1
      while end < changes.count, changes[end].collection == collection { end += 1 }
      try apply(changes[start..<end], try entity(collection))
      start = end
    }
  }

  private func apply(_ changes: ArraySlice<Change>, _ entity: RecordEntity) throws {
    if changes.count == 1, let change = changes.first {
      try apply(change, entity, to: try entity.object(change.record.id, context))
      return
    }
    var objects = try entity.objects(changes.map(\.record.id), context)
    for change in changes {
      objects[change.record.id] = try apply(change, entity, to: objects[change.record.id])
    }
  }

  @discardableResult
  private func apply(_ change: Change, _ entity: RecordEntity, to object: ManagedObject?) throws -> ManagedObject? {
    guard !change.isDelete else {
      if let object { try context.delete(object) }
      return nil
    }
    let object = object ?? context.insert(entity.entity)
    try entity.set(object, to: change.record)
    return object
  }
}

extension StoreError {
  static func translating<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as ObjectGraphError {
      switch error {
      case .damaged, .incompatibleModel: throw StoreError.damaged("\(error)")
      case .readOnly: throw StoreError.readOnly("\(error)")
      case .diskFull: throw StoreError.full("\(error)")
      case .busy: throw StoreError.busy("\(error)")
      case .conflicts: throw StoreError.conflict("\(error)")
      default: throw StoreError.failed("\(error)")
      }
    }
  }
}

extension RecordGraph: TransactionEngine {
  func apply(_ change: Change) throws { try StoreError.translating { try apply([change]) } }
  func apply(together changes: [Change]) throws { try StoreError.translating { try apply(changes) } }

  func writing<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    try GuardedTransaction.run(on: self) { transaction in try saving { try body(transaction) } }
  }

  func reading<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result {
    try GuardedTransaction.run(on: self, body)
  }

  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    guard let record = try record(key, in: collection) else { return false }
    try record.withView(body)
    return true
  }

  func record(_ key: Int64, in collection: CollectionID) throws -> Record? {
    try StoreError.translating {
      let entity = try self.entity(collection)
      if page.fetch != .join { page.turn() }
      guard let object = try object(key, entity) else { return nil }
      held?.insert(object)
      return try entity.record(object)
    }
  }

  func scan(_ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {
    let (entity, objects) = try StoreError.translating {
      let entity = try self.entity(collection)
      try held?.formUnion(context.fetch(entity.request(keys)))
      return (entity, try context.fetchInBatches(entity.request(keys, batchSize: 500)))
    }
    try entity.pass(objects, to: body)
  }

  func count(in collection: CollectionID) throws -> Int {
    try StoreError.translating {
      try context.count(for: FetchRequest<ManagedObject>(self.entity(collection).entity.name))
    }
  }
}
