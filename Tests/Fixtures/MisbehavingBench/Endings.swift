import Foundation
import StorageContract

final class Crashes: Wrapper {
  override class var summary: String { "dies by SIGSEGV in the third commit" }
  private var commits = 0

  override func commit(_ changes: [Change]) throws {
    commits += 1
    if commits == 3 { raise(SIGSEGV) }
    try inner.commit(changes)
  }
}

final class Hangs: Wrapper {
  override class var summary: String { "does not return from the third commit" }
  private var commits = 0

  override func commit(_ changes: [Change]) throws {
    commits += 1
    while commits == 3 { sleep(1) }
    try inner.commit(changes)
  }
}

final class Exits: Wrapper {
  override class var summary: String { "ends the process with code 0 in the third commit" }
  private var commits = 0

  override func commit(_ changes: [Change]) throws {
    commits += 1
    if commits == 3 {
      FileHandle.standardError.write(Data("something went wrong\n".utf8))
      exit(0)
    }
    try inner.commit(changes)
  }
}

final class Throws: Wrapper {
  override class var summary: String { "throws in the third commit" }
  private var commits = 0

  override func commit(_ changes: [Change]) throws {
    commits += 1
    if commits == 3 { throw StoreError.full("the disk of this test") }
    try inner.commit(changes)
  }
}

/// A correct backend that prints unexpected output.
final class Chatters: Wrapper {
  override class var summary: String { "prints to standard output in every commit" }

  override func commit(_ changes: [Change]) throws {
    print("{\"failure\": \"committing \(changes.count) changes\"}")
    try inner.commit(changes)
  }
}

/// A backend whose log cannot be filled before its saves are timed.
final class FillsNoLog: Wrapper, WriteAheadLogged {
  override class var summary: String { "fails when its log is to be filled" }

  static func keepsLog(_ durability: Durability, _ options: Options) -> Bool { true }
  static func useLog(of environment: StoreEnvironment) throws { throw StoreError.failed("its log cannot be filled") }
}
