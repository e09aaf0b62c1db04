import Foundation
import Testing

extension EndToEnd.Enduring {
  @Suite struct TraceTests {
    private let workplace = Workplace()

    /// Runs a trace, which must succeed, and returns the words and meanings of its calls.
    private func traced(_ command: String) async throws -> [String] {
      let finished = try await workplace.start("trace \(command) -n 100".words).finish(exits: 0)
      // The store has been removed.
      #expect(workplace.names.isEmpty)
      let lines = finished.output.split(separator: "\n").map(String.init)
      let start = try #require(lines.firstIndex { $0.hasPrefix("call ") }, "\(finished.output)") + 1
      return lines[start...].dropLast().map { line in
        // Numbers are removed, because they differ.
        line.replacing(#/(?: +[0-9,.]+)+ +/#, with: " ").replacing(#/ +/#, with: " ")
      }
    }

    /// Expects the texts in this order.
    private func expect(_ lines: [String], _ texts: [String], sourceLocation: SourceLocation = #_sourceLocation) {
      var rest = lines[...]
      for text in texts {
        let index = rest.firstIndex { $0.contains(text) }
        #expect(
          index != nil, "'\(text)' is missing in\n\(lines.joined(separator: "\n"))", sourceLocation: sourceLocation)
        rest = index.map { lines[($0 + 1)...] } ?? rest
      }
    }

    @Test func everyKindOfEngine() async throws {
      expect(
        try await traced("sqlite:journal=delete save-one"),
        [
          "create store.sqlite-journal", "header: not valid yet", "its number", "the page as it was", "its checksum",
          "old pages are on the disk", "sync directory ./", "header: valid now", "from here on a crash rolls back",
          "write store.sqlite page", "changed pages are on the disk", "unlink store.sqlite-journal the commit",
        ])
      expect(
        try await traced("sqlite save-one --durability durable"),
        ["the commit", "store.sqlite-wal page", "sync store.sqlite-wal the commit is on the disk"])
      expect(
        try await traced("lmdb save-one"),
        ["write data.mdb page", "new pages are on the disk", "write, syncing data.mdb meta page"])
      expect(
        try await traced("plist save-one --durability durable"),
        [
          "a temporary file", "the store, written anew", "the new content is on the disk",
          "-> store.plist the commit: takes the place", "sync directory ./",
        ])
      expect(try await traced("defaults save-one"), ["emptied in place", "the store, written anew", "is on the disk"])
      expect(try await traced("object-graph save-one"), ["frame of page", "store.sqlite-wal page"])
    }

    @Test(arguments: [
      ("sqlite", "save-one", ["1 INSERT OR REPLACE INTO \"records\""], 1),
      ("sqlite", "save-all", ["1 BEGIN IMMEDIATE", "100 INSERT OR REPLACE INTO \"records\"", "1 COMMIT"], 102),
      ("sqlite-queue", "save-one", ["1 BEGIN IMMEDIATE", "1 INSERT OR REPLACE INTO \"records\"", "1 COMMIT"], 3),
      ("object-graph", "read-one", ["1 SELECT"], 1),
    ])
    func statements(_ backend: String, _ workload: String, _ texts: [String], _ count: Int) async throws {
      let finished = try await workplace.bench("trace", backend, workload, "-n 100 --sql")
      #expect(workplace.names.isEmpty)
      let lines = finished.output.split(separator: "\n").map { $0.replacing(#/ +/#, with: " ").trimmingPrefix(" ") }
      expect(lines.map(String.init), ["times statement"] + texts + [": \(count) statement"])
      #expect(lines.allSatisfy { $0.count <= 100 || !$0.contains("INSERT") })
    }

    @Test func whatMakesNoCallSaysSo() async throws {
      let finished = try await workplace.bench("trace lmdb read-one -n 100")
      #expect(finished.output.contains("No call:"))
      let table = try await workplace.bench("trace sqlite read-one -n 100 --markdown")
      #expect(table.output.hasPrefix("# storage-bench trace\n\n**read-one on sqlite, 100 records**\n"))
    }
  }
}
