import Foundation
import ObjectGraph
import TestSupport
import Testing

/// Semantic 21: a database in WAL mode is more than one file.
@Suite struct WriteAheadLogTests {
  @Test("21: a store in WAL mode has its log beside it, closing writes it back, and a lost main file is noticed")
  func files() throws {
    let stack = try Stack()
    try stack.context.savedStudent("S1")
    let files = FileManager.default
    #expect(
      try Set(files.contentsOfDirectory(atPath: stack.directory.path)) == ["store.db", "store.db-wal", "store.db-shm"])
    let lost = stack.directory.appendingPathComponent("lost.db")
    try files.copyItem(atPath: "\(stack.url.path)-wal", toPath: "\(lost.path)-wal")
    #expect(throws: ObjectGraphError.self) { try Stack.open(.sqlite, at: lost) }
    try files.removeItem(atPath: "\(lost.path)-wal")
    try stack.coordinator.remove(stack.store)
    #expect(try files.contentsOfDirectory(atPath: stack.directory.path) == ["store.db"])
    // The main file alone holds everything.
    let copy = stack.directory.appendingPathComponent("copy.db")
    try files.copyItem(at: stack.url, to: copy)
    #expect(try Database.rows(copy, "SELECT ZSTUDENTID FROM ZSTUDENTS") == [["S1"]])
  }
}
