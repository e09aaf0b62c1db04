import Foundation
import Testing

/// Somebody else's package with a backend of its own.
extension EndToEnd.Measuring {
  @Suite struct ExampleTests {
    private let example = Program.root.appendingPathComponent("Examples/CustomBackend")

    @Test func aBackendIsEightyLines() throws {
      let source = example.appendingPathComponent("Sources/my-bench/JSONLines.swift")
      #expect(
        try String(contentsOf: source, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
          .dropLast().count <= 80)
    }

    /// Its own tests, which `scripts/test` runs, are the conformance kit from outside.
    @Test func itHasEverything() async throws {
      let place = try Workplace()
      let executable = Program.products.appendingPathComponent("my-bench")
      try #require(
        FileManager.default.isExecutableFile(atPath: executable.path),
        "build it as scripts/test does: swift build --package-path Examples/CustomBackend --scratch-path .build")
      let finished = try await Program(
        executable,
        [
          "run", "--allow-debug", "-q", "-b", "jsonl,plist", "-w", "save-one,read-one,import", "-n", "100", "--rounds",
          "1",
          "--trial-time", "5ms", "-o", "run",
        ], in: place
      ).finish()
      #expect(finished.status == 0, "\(finished.errors)")
      let results = try Results("\(place.path)/run")
      #expect(results.rows.count == 6)
      #expect(results.rows.allSatisfy { $0["status"] == "ok" && $0["p50_ns"]?.isEmpty == false })
      // What it stores is what the others store.
      for workload in ["save-one", "read-one", "import"] {
        #expect(Set(results.rows.filter { $0["workload"] == workload }.map { $0["digest"] }).count == 1)
      }
    }
  }
}
