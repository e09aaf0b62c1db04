import Foundation
import Testing

/// Somebody else's package with a backend of its own.
extension EndToEnd {
  @Suite struct ExampleTests {
    private let example = Program.root.appendingPathComponent("Examples/CustomBackend")

    @Test func aBackendIsEightyLines() throws {
      let source = example.appendingPathComponent("Sources/my-bench/JSONLines.swift")
      #expect(
        try String(contentsOf: source, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
          .dropLast().count <= 80)
    }

    @Test func itHasEverything() async throws {
      let place = try Workplace()
      // The example's own build directory, so that what the script has built is not built again.
      let build = try await Program(
        URL(fileURLWithPath: "/usr/bin/env"), ["swift", "build", "--build-tests", "--package-path", example.path],
        in: place
      ).finish()
      try #require(build.status == 0, "\(build.output.suffix(2_000))\(build.errors.suffix(2_000))")
      // The conformance kit, from outside.
      let test = ["swift", "test", "--skip-build", "--package-path", example.path]
      let tests = try await Program(URL(fileURLWithPath: "/usr/bin/env"), test, in: place).finish()
      #expect(tests.status == 0, "\(tests.output.suffix(4_000))\(tests.errors.suffix(2_000))")
      #expect(tests.output.contains("Test conforms() passed"))
      let executable = example.appendingPathComponent(".build/debug/my-bench")
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
