import Foundation
import StorageContract

/// A backend that does something wrong in its third commit, before it commits.
class ThirdCommit: Wrapper {
  private var commits = 0

  /// Fails. A subclass overrides this.
  func fail() throws {}

  override func commit(_ changes: [Change]) throws {
    commits += 1
    if commits == 3 { try fail() }
    try inner.commit(changes)
  }
}

final class Crashes: ThirdCommit {
  override class var summary: String { "dies by SIGSEGV in the third commit" }
  override func fail() { raise(SIGSEGV) }
}

final class Hangs: ThirdCommit {
  override class var summary: String { "does not return from the third commit" }
  override func fail() { while true { sleep(1) } }
}

final class Exits: ThirdCommit {
  override class var summary: String { "ends the process with code 0 in the third commit" }

  override func fail() {
    FileHandle.standardError.write(Data("something went wrong\n".utf8))
    exit(0)
  }
}

final class Throws: ThirdCommit {
  override class var summary: String { "throws in the third commit" }
  override func fail() throws { throw StoreError.full("the disk of this test") }
}

final class Chatters: Wrapper {
  override class var summary: String { "prints to standard output in every commit" }

  override func commit(_ changes: [Change]) throws {
    print("{\"failure\": \"committing \(changes.count) changes\"}")
    try inner.commit(changes)
  }
}

final class FillsNoLog: Wrapper, WriteAheadLogged {
  override class var summary: String { "fails when its log is to be filled" }

  static func keepsLog(_ durability: Durability, _ options: Options) -> Bool { true }
  static func useLog(of environment: StoreEnvironment) throws { throw StoreError.failed("its log cannot be filled") }
}
