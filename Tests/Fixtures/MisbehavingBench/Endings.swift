import Foundation
import StorageContract

final class Crashes: Wrapper {
  static let description = describe("crashes", "dies by SIGSEGV in the third commit")
  let inner: any StorageBackend
  private var commits = 0

  init(_ inner: any StorageBackend) { self.inner = inner }

  func commit(_ changes: [Change]) throws {
    commits += 1
    if commits == 3 { raise(SIGSEGV) }
    try inner.commit(changes)
  }
}

final class Hangs: Wrapper {
  static let description = describe("hangs", "does not return from the third commit")
  let inner: any StorageBackend
  private var commits = 0

  init(_ inner: any StorageBackend) { self.inner = inner }

  func commit(_ changes: [Change]) throws {
    commits += 1
    while commits == 3 { sleep(1) }
    try inner.commit(changes)
  }
}

final class Exits: Wrapper {
  static let description = describe("exits", "ends the process with code 0 in the third commit")
  let inner: any StorageBackend
  private var commits = 0

  init(_ inner: any StorageBackend) { self.inner = inner }

  func commit(_ changes: [Change]) throws {
    commits += 1
    if commits == 3 {
      FileHandle.standardError.write(Data("something went wrong\n".utf8))
      exit(0)
    }
    try inner.commit(changes)
  }
}

final class Throws: Wrapper {
  static let description = describe("throws", "throws in the third commit")
  let inner: any StorageBackend
  private var commits = 0

  init(_ inner: any StorageBackend) { self.inner = inner }

  func commit(_ changes: [Change]) throws {
    commits += 1
    if commits == 3 { throw StoreError.full("the disk of this test") }
    try inner.commit(changes)
  }
}

/// A correct backend that prints unexpected output.
final class Chatters: Wrapper {
  static let description = describe("chatters", "prints to standard output in every commit")
  let inner: any StorageBackend

  init(_ inner: any StorageBackend) { self.inner = inner }

  func commit(_ changes: [Change]) throws {
    print("{\"failure\": \"committing \(changes.count) changes\"}")
    try inner.commit(changes)
  }
}
