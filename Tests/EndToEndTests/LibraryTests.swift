import Foundation
import TestSupport
import Testing

extension EndToEnd.Measuring {
  /// The option `library=`, as a user gives it.
  @Suite struct LibraryTests {
    private let workplace = Workplace()

    /// Runs `storage-bench` without further engines.
    private func run(_ command: String) async throws -> Finished {
      try await workplace.start(command.words, environment: ["STORAGE_BENCH_ENGINES": "\(workplace.path)/none"])
        .finish()
    }

    /// The calls of a second copy of the linked library are counted like those of the first.
    @Test func aCopyOfTheLibraryHasTheSameCounts() async throws {
      let library = try #require(SharedObjects.path(of: "libsqlite3.so"))
      let other = "sqlite:library=\(library)"
      let results = try await workplace.run(
        "--profile counts -b sqlite,\(other) -w save-one,read-one,import -n 100 --durability shipped,durable",
        into: "copies")
      let columns = [
        "status", "bytes_written", "bytes_written_settled", "write_calls", "syncs_settled", "bytes_read", "opens",
        "statements", "stored_bytes", "digest", "stream_hash",
      ]
      let linked = results.rows.filter { $0["options"] == "" }
      #expect(linked.count == 5)
      for row in linked {
        let copy = try results.row(Results.name(row).replacingOccurrences(of: "sqlite/", with: "\(other)/"))
        for column in columns { #expect(row[column] == copy[column], "\(column) of \(Results.name(row))") }
        #expect(row["engine_version"] != copy["engine_version"])
        #expect(copy["engine_version"]?.contains("source") == true)
        #expect(copy["settings"]?.contains("options=") == true)
      }
    }

    @Test func missingLibrariesAreNamed() async throws {
      let traced = try await run("trace sqlite:library=sqlite3mc save-one")
      #expect(traced.status == 69 && traced.errors.contains("run scripts/install engines"), "\(traced.errors)")
      let finished = try await run(
        "run --once --allow-debug -b sqlite,sqlite:library=sqlite3mc -w save-one,read-one -n 10 -o missing -q")
      #expect(finished.status == 0, "\(finished.errors)")
      let rows = try Results("\(workplace.path)/missing").rows.filter { $0["options"] == "library=sqlite3mc" }
      #expect(rows.count == 2)
      for row in rows {
        #expect(row["note"] == "library=sqlite3mc is not installed; run scripts/install engines")
        #expect(row["status"] != "ok")
      }
    }
  }
}
