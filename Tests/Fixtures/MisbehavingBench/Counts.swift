import Foundation
import StorageContract

/// A backend that writes a different number of bytes in each process, and declares so: it keeps its promises.
final class Varies: VariesSilently {
  override class var summary: String { "writes as many bytes more as its process's number says" }
  override class var description: BackendDescription {
    var description = super.description
    description.isDeterministic = false
    return description
  }
}

/// The same backend without the declaration.
class VariesSilently: Wrapper {
  override class var summary: String { "writes other numbers of bytes, and claims to repeat itself" }
  private let padding: URL

  required init(opening environment: StoreEnvironment) throws {
    padding = URL(fileURLWithPath: environment.path("padding"))
    try super.init(opening: environment)
  }

  override func commit(_ changes: [Change]) throws {
    try inner.commit(changes)
    // The length differs between processes.
    try Data(repeating: 0, count: Int(getpid()) % 1_000).write(to: padding)
  }
}
