import Foundation
import StorageContract

/// Does everything as it should be, half a second a commit: a disk that takes its time.
final class Dawdles: Wrapper {
  static let description = describe("dawdles", "takes half a second for a commit")
  let inner: any StorageBackend

  init(_ inner: any StorageBackend) { self.inner = inner }

  func commit(_ changes: [Change]) throws {
    usleep(500_000)
    try inner.commit(changes)
  }
}
