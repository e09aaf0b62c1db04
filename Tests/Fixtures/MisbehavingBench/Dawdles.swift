import Foundation
import StorageContract

final class FirstThread: Wrapper {
  override class var summary: String { "works on the process's first thread only" }

  override func commit(_ changes: [Change]) throws {
    guard Thread.isMainThread else { throw StoreError.failed("this is not the process's first thread") }
    try inner.commit(changes)
  }
}

final class Dawdles: Wrapper {
  override class var summary: String { "takes half a second for a commit" }

  override func commit(_ changes: [Change]) throws {
    usleep(500_000)
    try inner.commit(changes)
  }
}
