import Foundation
import StorageBackends
import StorageContract
@testable import StorageVerify
import TestSupport
import Testing

/// Every backend of this package keeps its promises. `BACKENDS=json,text` in the environment selects certain ones.
@Suite struct ConformanceTests {
  private static let chosen = ProcessInfo.processInfo.environment["BACKENDS"].map {
    $0.split(separator: ",").map(String.init)
  }

  /// The backends whose library is installed.
  @Test(arguments: Self.chosen ?? Backends.all.filter { $0.description.missing() == nil }.map { $0.description.id })
  func everyBackendConforms(_ id: String) throws {
    try Conformance.check(backend(id), in: RAMDisk.path)
  }

  /// Every check, also those of queries and links, with keys that are UUIDs, and with fields in JSON.
  @Test(
    .enabled(if: repetitions(1) > 1, "every promise with other keys is checked by scripts/test --all"),
    arguments: [
      "sqlite:ids=uuid4", "sqlite-queue:ids=uuid4-text", "lmdb:ids=uuid7", "object-graph:ids=uuid4",
      "sqlite:columns=json",
    ])
  func everyCheckPassesWithOtherKeysOrColumns(_ text: String) throws {
    let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
    try Conformance.check(backend(parts[0]), options: parts[1], in: RAMDisk.path)
  }

  /// Every check over SQLite3 Multiple Ciphers without its layer for encryption. Without it, over a copy of the linked
  /// library, which is loaded in the same way.
  @Test func everyCheckPassesOverALoadedLibrary() throws {
    let backend = try backend("sqlite")
    let options = try Options(parsing: ["library=sqlite3mc"], specs: backend.description.options, owner: "")
    let isThere = backend.description.missing(for: options) == nil
    let library = isThere ? "sqlite3mc" : try #require(SharedObjects.path(of: "libsqlite3.so"))
    try Conformance.check(backend, options: "library=\(library)", in: RAMDisk.path)
  }

  /// Combinations of options that might interfere. Each option alone is checked with its backend.
  @Test(arguments: [
    "plist:format=xml:coder=serialization:atomic=no:resident=no",
    "json:split=16:resident=no",
    "plist:write=debounced:every=5s",
    "defaults:write=debounced:value=archive",
    "archive:split=16:secure=no:root=keys",
    "plist:split=16:atomic=no",
    "sqlite:journal=wal:statements=fresh:connection=per-operation:as=apple",
    "sqlite:journal=delete:as=apple",
    "sqlite-queue:pool=yes:decode=codable:read=unsafe",
    "sqlite:ids=uuid4-text:synced=yes:rowid=no:columns=json",
    "sqlite-queue:ids=uuid7:decode=codable:rowid=no",
    "sqlite:journal=wal:cache=64kB:temp=memory:autocheckpoint=2:secure-delete=fast",
    "sqlite-queue:pool=yes:page=16384:mmap=1MiB:autocheckpoint=2",
    "lmdb:sync=nometasync:writemap=yes:map=16MiB",
    "leveldb:compression=no:verify=yes:filter=no:cache=64kB",
  ])
  func optionsCombine(_ text: String) throws {
    let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
    let backend = try backend(parts[0])
    // The library of LevelDB may be missing.
    guard backend.description.missing() == nil else { return }
    // As for each value alone, only the checks that depend on options.
    let checks = ConformanceChecks.all.filter { $0.dependsOnOptions }
    let broken = try Conformance.results(backend, checks, options: parts[1], in: RAMDisk.path).filter(\.isBroken)
    #expect(broken.isEmpty, "\(broken)")
  }

  /// A check that is impossible on this machine is reported, and does not count as passed. On a disk, which the other
  /// tests of this suite do not use.
  @Test func everyCheckIsMadeOrSaysWhyNot() throws {
    let results = try Conformance.results(backend("sqlite"), options: "")
    #expect(results.count > 20)
    for result in results {
      switch result.status {
      case .kept: continue
      case .broken, .notApplicable: Issue.record("\(result)")
      case .unchecked(let reason): #expect(["full-disk", "read-only"].contains(result.check) && !reason.isEmpty)
      }
    }
  }
}
