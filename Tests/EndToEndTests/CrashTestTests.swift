import Foundation
import StorageContract
import StorageRunFiles
import Testing

extension EndToEnd.Enduring {
  @Suite struct CrashTestTests {
    private let workplace = Workplace()

    private func report(_ name: String) throws -> SafetyReport {
      try JSONDecoder().decode(SafetyReport.self, from: Data(workplace.text("\(name)/safety.json").utf8))
    }

    @Test func theSevenKeepWhatTheyPromise() async throws {
      let finished = try await workplace.bench("crashtest --count 4 -o found")
      let report = try report("found")
      let backends = ["plist", "archive", "defaults", "sqlite", "sqlite-queue", "object-graph", "lmdb"]
      #expect(Set(report.findings.map(\.backend)) == Set(backends))
      #expect(
        Set(report.findings.map(\.fault)) == [
          "kill", "enospc", "eio", "eintr", "short-write", "fsync", "power", "damage",
        ])
      #expect(report.findings.allSatisfy { $0.broken == 0 })
      #expect(report.findings.contains { $0.variant == "at random times" && $0.cases > 0 })
      // Without a journal, a rename may leave neither file. This is reported, but breaks no promise.
      #expect(report.findings.contains { $0.note.contains("a risk on ext4 without a journal") })
      for finding in report.findings where finding.lostAgainstPromise > 0 {
        #expect(["plist", "archive"].contains(finding.backend), "\(finding)")
        #expect(finding.fault == "power" && finding.variant == "ext4-no-journal", "\(finding)")
      }
      for backend in backends {
        let cases = report.findings.filter { $0.backend == backend }.reduce(0) { $0 + $1.cases }
        #expect(cases >= 30, "\(backend)")
      }
      #expect(finished.output.contains("No broken promise was found in "))
      let text = try workplace.text("found/safety.md")
      #expect(text.hasPrefix("# storage-bench crashtest\n"))
      #expect(!text.contains("safe "))
      #expect(text.contains("## States after a power cut") && text.contains("| plist | shipped | ext4-like |"))
    }

    @Test func aPageShowsWhatWasFound() async throws {
      _ = try await workplace.run("-b sqlite,lmdb -w save-one -n 10 --rounds 1 --trial-time 1ms", into: "results/run")
      try await workplace.bench("crashtest -b lmdb --count 3 --fault kill --durability shipped -q -o results/tested")
      try await workplace.bench("report results/run -f markdown")
      let text = try workplace.text("results/run/report.md")
      #expect(text.contains("| nothing against the promise found in "), "\(text)")
      #expect(text.contains("| promised, not tested here |"), "\(text)")
    }

    @Test func `a store is tested from an empty directory`() async throws {
      try await workplace.bench(
        "crashtest -b lmdb --first-save --fault enospc,power --durability shipped --count 30 -o found")
      let findings = try report("found").findings
      #expect(findings.map(\.fault) == ["enospc", "power", "power", "power"] && findings.allSatisfy { $0.refused > 0 })
      let failure = try #require(findings.flatMap(\.failures).first { $0.story.joined().contains("MDB_INVALID") })
      let words = failure.command.split(separator: " ").dropFirst().map { $0.filter { $0 != "'" } }
      try await workplace.bench(words + ["-o", "again"])
      #expect(try report("again").findings.map(\.refused) == [1])
    }

    @Test func savesOfAWorkloadAreTested() async throws {
      try await workplace.bench(
        "crashtest -b sqlite -w transfer -n 10 --fault kill --durability shipped --count 5 -f json,html -o found")
      let names = try workplace.names(in: "found")
      #expect(Set(names).isSuperset(of: ["safety.html", "safety.json"]) && !names.contains("safety.md"))
      #expect(try report("found").findings.allSatisfy { $0.cases > 0 && $0.broken == 0 })
    }

    @Test func passingForLackOfCasesIsNoPass() async throws {
      let finished = try await workplace.bench("crashtest -b lmdb --durability crash --fault fsync -o found", exits: 3)
      #expect(finished.output.contains("Nothing was tested"), "\(finished.output)")
      #expect(!finished.errors.contains("Nothing was tested"))
      // With -q, too, the reason for the failure is printed.
      let quiet = try await workplace.bench("crashtest -b lmdb --durability crash --fault fsync -q -o quiet", exits: 3)
      #expect(!quiet.output.contains("Nothing was tested"))
      #expect(quiet.errors.contains("storage-bench: Nothing was tested"), "\(quiet.errors)")
    }

    /// A power cut can be repeated by its name, and by a file that has all data for it.
    @Test func aPowerCutIsMadeAgain() async throws {
      let cut = "crashtest -b plist --durability shipped --fault power --count 2".words
      try await workplace.bench(cut + ["-o", "found"])
      let failure = try #require(try report("found").findings.flatMap(\.failures).first)
      #expect(failure.name.hasPrefix("power:strict:saves=") && failure.command.contains("--only '\(failure.name)'"))
      let replay = try #require(failure.replay)
      #expect(replay.hasPrefix("found/replays/plist-shipped-power:strict:"))
      for arguments in [["-b", "plist", "--durability", "shipped", "--only", failure.name], ["--only", replay]] {
        try await workplace.bench(["crashtest", "-o", "again"] + arguments)
        let findings = try report("again").findings
        #expect(findings.map(\.lostWithinPromise) == [1] && findings.map(\.cases) == [1], "\(findings)")
      }
      try await workplace.expectRefused(
        ["crashtest", "-b", "plist", "--only", replay], "already selects the case; leave out -b")
      try workplace.write("odd.json", "{}")
      try await workplace.expectRefused("crashtest --only odd.json".words, "is not a replay file")
    }

    /// The given paths are relative to the working directory of the user, not to that of the processes that save.
    @Test func relativePathsAreTheUsers() async throws {
      try await workplace.bench("crashtest -b plist:atomic=no --fault kill --count 20 --scratch here --keep -o found")
      // A scratch directory that the command has created is removed.
      #expect(workplace.names == ["found"])
      #expect(try workplace.names(in: "found/stores").count == 1)
    }

    @Test(arguments: [["--scratch", "here"], []])
    func anInterruptedTestLeavesNothing(arguments: [String]) async throws {
      let program = try workplace.start("crashtest --count 5000 -o found".words + arguments)
      try await Task.sleep(nanoseconds: 1_500_000_000)
      #expect(program.isRunning)
      program.send(SIGINT)
      let finished = await program.finish(exits: 130)
      #expect(finished.errors.contains("storage-bench: interrupted; no report was written"), "\(finished.errors)")
      #expect(workplace.names.isEmpty, "\(workplace.names)")
    }
  }
}
