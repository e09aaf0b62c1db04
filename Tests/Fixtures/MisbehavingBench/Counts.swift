import Foundation
import StorageContract

/// A backend that writes a different number of bytes in each process, and declares so: it keeps its promises.
final class Varies: Wrapper {
  static let description: BackendDescription = {
    var description = describe("varies", "writes as many bytes more as its process's number says")
    description.isDeterministic = false
    return description
  }()
  let inner: any StorageBackend
  private let padding: Padding

  init(_ inner: any StorageBackend) { fatalError("it needs a place for its padding") }

  init(opening environment: StoreEnvironment) throws {
    inner = try Self.inner.init(opening: environment)
    padding = Padding(environment)
  }

  func commit(_ changes: [Change]) throws {
    try inner.commit(changes)
    try padding.write()
  }
}

/// The same backend without the declaration.
final class VariesSilently: Wrapper {
  static let description = describe("varies-silently", "writes other numbers of bytes, and claims to repeat itself")
  let inner: any StorageBackend
  private let padding: Padding

  init(_ inner: any StorageBackend) { fatalError("it needs a place for its padding") }

  init(opening environment: StoreEnvironment) throws {
    inner = try Self.inner.init(opening: environment)
    padding = Padding(environment)
  }

  func commit(_ changes: [Change]) throws {
    try inner.commit(changes)
    try padding.write()
  }
}

/// A file whose length differs between processes.
private struct Padding {
  private let url: URL

  init(_ environment: StoreEnvironment) { url = URL(fileURLWithPath: environment.path("padding")) }

  func write() throws { try Data(repeating: 0, count: Int(getpid()) % 1_000).write(to: url) }
}
