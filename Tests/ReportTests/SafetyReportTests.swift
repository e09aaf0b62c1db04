import Foundation
import StorageRunFiles
import Testing

@testable import StorageReport

/// The report of crash tests in its formats.
@Suite struct SafetyReportTests {
  private func report(broken: Int) -> SafetyReport {
    var result = SafetyReport.FaultResult(
      backend: "sqlite", durability: .shipped, level: .crash, fault: "kill", cases: 1_200, kept: 1_200 - broken,
      lostAgainstPromise: broken, broken: broken)
    if broken > 0 {
      // Cases of different histories may have the same name.
      result.failures = ["A save was lost.", "Another save was lost."].map {
        .init(name: "kill:saves=1", story: [$0], command: "storage-bench crashtest")
      }
    }
    return SafetyReport(created: "2026-11-20T10:00:00Z", seed: 7, place: "Stores on ext4", findings: [result])
  }

  private func files(of report: SafetyReport) throws -> [String: String] {
    try ReportFormats.ofCrashTests.reduce(into: [:]) { files, format in
      for file in try format.files!(report) {
        let text = try file.text()
        #expect(format.recognizes(String(decoding: Data(text.utf8).prefix(AtomicFile.headLength), as: UTF8.self)))
        files[file.name] = text
      }
    }
  }

  @Test func everyFormatSaysTheSameAndRecognizesItsFile() throws {
    let report = report(broken: 3)
    let files = try files(of: report)
    for files in [files, try self.files(of: self.report(broken: 0))] {
      #expect(Set(files.keys) == ["safety.json", "safety.md", "safety.html"])
    }
    for name in ["safety.md", "safety.html"] {
      let text = try #require(files[name])
      #expect(text.contains("3 of 1,200 cases ended worse than crash allows."), "\(name)")
      #expect(text.contains("A save was lost.") && text.contains("Stores on ext4. Seed 7."), "\(name)")
    }
    let ids = try #require(files["safety.html"]).matches(of: /<section id="([^"]+)"/).map(\.output.1)
    #expect(ids.contains("story-2") && Set(ids).count == ids.count, "\(ids)")
    let json = try #require(files["safety.json"])
    #expect(try JSONDecoder().decode(SafetyReport.self, from: Data(json.utf8)) == report)
    #expect(json.hasPrefix("{\n  \"created\" : \"2026-11-20T10:00:00Z\",\n  \"findings\" : ["))
  }

  @Test func brokenPromisesAreErrorsInCI() {
    #expect(report(broken: 0).annotations.isEmpty)
    #expect(report(broken: 3).annotations.map(\.level) == [.error])
    #expect(MarkdownFormat.text(report(broken: 0).short).contains("No broken promise was found in 1,200 cases."))
  }
}
