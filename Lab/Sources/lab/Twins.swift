import StorageContract

/// One backend under two names, as if there were two. Any difference that a run reports between them is noise.
/// `scripts/lab self-study` counts such reports.
///
/// Both names forward every call, so that both have the same overhead.
final class Twin<Inner: StorageBackend, Name: TwinName>: ForwardingBackend {
  static var inner: any StorageBackend.Type { Inner.self }
  let inner: any StorageBackend

  static var description: BackendDescription {
    var description = Inner.description
    description.id += Name.suffix
    return description
  }

  init(opening environment: StoreEnvironment) throws { inner = try Inner(opening: environment) }

  func record(_ key: Int64, in collection: CollectionID) throws -> Record? { try inner.record(key, in: collection) }
}

/// The suffix of a twin's name.
protocol TwinName {
  static var suffix: String { get }
}

enum First: TwinName { static let suffix = "-a" }
enum Second: TwinName { static let suffix = "-b" }

func twins<Inner: StorageBackend>(_ type: Inner.Type) -> [any StorageBackend.Type] {
  [Twin<Inner, First>.self, Twin<Inner, Second>.self]
}
