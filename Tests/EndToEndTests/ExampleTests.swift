import Foundation
import Testing

/// A package of other authors with its own backend.
extension EndToEnd.Measuring {
  @Suite struct ExampleTests {
    private let example = Program.root.appendingPathComponent("Examples/CustomBackend")

    @Test func aBackendIsEightyLines() throws {
      let source = example.appendingPathComponent("Sources/my-bench/JSONLines.swift")
      #expect(
        try String(contentsOf: source, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
          .dropLast().count <= 80)
    }

    /// The example's own tests, which `scripts/test` runs, use the conformance kit from another package.
    @Test func itHasEverything() async throws {
      let workplace = Workplace()
      let executable = Program.products.appendingPathComponent("my-bench")
      try #require(
        FileManager.default.isExecutableFile(atPath: executable.path),
        "build it: swift build --package-path Examples/CustomBackend --scratch-path .build")
      let results = try await workplace.run(
        "-b jsonl,plist -w save-one,read-one,import -n 100 --rounds 1 --trial-time 5ms".words, into: "run",
        program: "my-bench")
      #expect(results.rows.count == 6)
      #expect(results.rows.allSatisfy { $0["status"] == "ok" && $0["p50_ns"]?.isEmpty == false })
      // The digests equal those of the other backends.
      for workload in ["save-one", "read-one", "import"] {
        #expect(Set(results.rows.filter { $0["workload"] == workload }.map { $0["digest"] }).count == 1)
      }
    }
  }
}
