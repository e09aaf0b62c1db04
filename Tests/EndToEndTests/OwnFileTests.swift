import Foundation
import StorageRunFiles
import Testing

/// The suite's own files under the faults that it injects into backends.
extension EndToEnd.Enduring {
  @Suite struct OwnFileTests {
    private let workplace = Workplace()

    private static let arguments =
      "run --allow-debug -q -b memory,plist -w read-one -n 10 --rounds 1 --trial-time 1ms".words

    private func run(_ name: String, fault: String? = nil) async throws -> Finished {
      try await workplace.start(
        Self.arguments + ["-o", name], program: "MisbehavingBench", environment: fault.map { ["OWN_FAULT": $0] } ?? [:]
      ).finish()
    }

    /// Expects a complete run: 2 cells, each with one round and one cost pass, and its reports.
    private func expectWhole(_ name: String, _ when: String) throws {
      let results = try Results("\(workplace.path)/\(name)")
      #expect(results.trialKeys.count == 4 && Set(results.trialKeys).count == 4, "\(when): \(results.trialKeys)")
      #expect(results.rows.count == 2 && results.rows.allSatisfy { $0["status"] == "ok" }, "\(when)")
      let names = try workplace.names(in: name)
      #expect(names.contains("report.html") && names.contains("report.md"), "\(when)")
      #expect(!names.contains { $0.hasSuffix(".tmp") || $0 == "scratch" }, "\(when): \(names)")
    }

    /// Resumes a run, or starts it again with the same command if it had not begun.
    private func goOn(_ name: String, _ when: String) async throws {
      let hasBegun = FileManager.default.fileExists(atPath: "\(workplace.path)/\(name)/plan.json")
      let finished =
        hasBegun
        ? try await workplace.bench("run --allow-debug -q --resume", name, program: "MisbehavingBench")
        : try await run(name)
      #expect(finished.status == 0, "\(when): \(finished.errors)")
      if finished.status == 0 { try expectWhole(name, when) }
    }

    /// All of the first calls and some of the later ones: the first ones begin the run, and most others are alike.
    @Test func aRunThatIsKilledAtAnyWriteGoesOn() async throws {
      var call = 1
      var kills = 0
      while true {
        let name = "killed-\(call)"
        let finished = try await run(name, fault: "kill:\(call)")
        if finished.status == 0 { break }
        #expect(finished.status == -SIGKILL, "call \(call): \(finished.status) \(finished.errors)")
        kills += 1
        // Trials in the journal are kept.
        let before = try? Results.keys(Results.trials("\(workplace.path)/\(name)"))
        try await goOn(name, "killed at call \(call)")
        #expect(
          Set(before ?? []).isSubset(of: try Results("\(workplace.path)/\(name)").trialKeys), "killed at call \(call)")
        call += call < 24 ? 1 : call / 6
      }
      #expect(kills > 30)
    }

    @Test func aFullDiskEndsARunWithASentenceAndItGoesOn() async throws {
      var full = 0
      for room in [0, 1_000, 6_000, 8_000, 12_000, 20_000, 40_000] {
        let name = "full-\(room)"
        let finished = try await run(name, fault: "fill:\(room)")
        if finished.status == 0 { continue }
        full += 1
        #expect([64, 74].contains(finished.status), "room for \(room): \(finished.status)")
        #expect(finished.complaints.count == 1, "room for \(room): \(finished.errors)")
        #expect(finished.errors.hasPrefix("MisbehavingBench: cannot "), "room for \(room): \(finished.errors)")
        try await goOn(name, "with room for \(room)")
      }
      #expect(full >= 5)
    }
  }
}
