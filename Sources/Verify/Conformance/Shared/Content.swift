import StorageContract

/// The reference model of the conformance checks: a backend with its records in dictionaries. StorageContract emulates
/// optional calls, such as queries.
package final class ReferenceStore: StorageBackend {
  package static let description = BackendDescription(
    id: "reference", summary: "a dictionary", safety: "Nothing is kept.", kind: { _ in .memory },
    engineVersion: { "none" })

  package static func promise(_ durability: Durability, _ options: Options) -> Promise { .level(.volatile) }

  package let settings = ""
  private(set) var content: StoreContent

  package init(opening environment: StoreEnvironment) {
    content = StoreContent(collections: environment.collections.count)
  }

  private func index(_ collection: CollectionID) throws -> Int {
    guard content.collections.indices.contains(collection.index) else { throw StoreError.failed("no such collection") }
    return collection.index
  }

  package func commit(_ changes: [Change]) throws {
    for change in changes { _ = try index(change.collection) }
    content.apply(changes)
  }

  package func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    guard let record = content.collections[try index(collection)][key] else { return false }
    try record.withView(body)
    return true
  }

  package func scan(
    _ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool
  ) throws {
    _ = try index(collection)
    for record in content.records(keys, in: collection) where try !record.withView(body) { return }
  }

  package func count(in collection: CollectionID) throws -> Int { content.collections[try index(collection)].count }

  package func close() {}
}

/// A backend without the optional calls of the wrapped backend, such as queries. StorageContract then emulates these
/// calls.
final class PlainStore<Backend: StorageBackend>: ForwardingBackend {
  static var inner: any StorageBackend.Type { Backend.self }
  let inner: any StorageBackend

  init(opening environment: StoreEnvironment) throws { inner = try Backend(opening: environment) }
}

extension StorageBackend {
  static var plain: any StorageBackend.Type { PlainStore<Self>.self }
}
