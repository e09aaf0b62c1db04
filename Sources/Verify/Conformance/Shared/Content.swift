import StorageContract

/// The expected content of a store: the model that backends are compared with.
struct Content {
  private(set) var collections: [[Int64: Record]]

  init(collections: Int = CheckSubject.collections.count) {
    self.collections = Array(repeating: [:], count: collections)
  }

  mutating func apply(_ changes: [Change]) {
    for change in changes {
      collections[change.collection.index][change.record.id] = change.isDelete ? nil : change.record
    }
  }

  /// Returns the records of a range, in key order.
  func records(_ keys: ClosedRange<Int64> = .all, in collection: CollectionID = .records) -> [Record] {
    collections[collection.index].values.filter { keys.contains($0.id) }.sorted { $0.id < $1.id }
  }
}

/// The model as a backend. It has no native capabilities, so all of them are emulated over it.
final class ReferenceStore: StorageBackend {
  static let description = BackendDescription(
    id: "reference", summary: "a dictionary", safety: "Nothing is kept.", kind: { _ in .memory },
    engineVersion: { "none" })

  static func promise(_ durability: Durability, _ options: Options) -> Promise { .level(.volatile) }

  let settings = ""
  private var content: Content

  init(opening environment: StoreEnvironment) { content = Content(collections: environment.collections.count) }

  private func index(_ collection: CollectionID) throws -> Int {
    guard content.collections.indices.contains(collection.index) else { throw StoreError.failed("no such collection") }
    return collection.index
  }

  func commit(_ changes: [Change]) throws {
    for change in changes { _ = try index(change.collection) }
    content.apply(changes)
  }

  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    guard let record = content.collections[try index(collection)][key] else { return false }
    try record.withView(body)
    return true
  }

  func scan(
    _ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool
  ) throws {
    _ = try index(collection)
    for record in content.records(keys, in: collection) where try !record.withView(body) { return }
  }

  func count(in collection: CollectionID) throws -> Int { content.collections[try index(collection)].count }

  func close() {}
}

/// A backend without its capabilities. They are emulated over its required members.
final class PlainStore<Backend: StorageBackend>: ForwardingBackend {
  static var inner: any StorageBackend.Type { Backend.self }
  let inner: any StorageBackend

  init(opening environment: StoreEnvironment) throws { inner = try Backend(opening: environment) }
}

extension StorageBackend {
  /// The class without its capabilities.
  static var plain: any StorageBackend.Type { PlainStore<Self>.self }
}
