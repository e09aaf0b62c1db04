import Foundation
import Testing

extension EndToEnd.Measuring {
  @Suite struct ShortReportTests {
    private let workplace = Workplace()

    private func lines(_ name: String) throws -> [Substring] { try workplace.text(name).split(separator: "\n") }

    @Test func aRunAndItsReportWriteTheSame() async throws {
      try await workplace.bench(
        "run --allow-debug -q -b lmdb,sqlite -w save-one -n 20,40 --rounds 6 --trial-time 2ms -o run",
        "--export-markdown short.md")
      let exported = try lines("short.md")
      #expect(exported.count < 20 && exported.contains { $0.contains("| backend | 20 | 40 | bytes | memory |") })
      #expect(exported.contains { $0.contains("Made by `storage-bench run") })
      try await workplace.bench("report run -o again -f markdown --short")
      #expect(try lines("again/report.md") == exported)
      // Without a directory the text is printed, and the run's own report stays.
      let report = try lines("run/report.md")
      let printed = try await workplace.bench("report run -f markdown --short")
      let words = printed.output.split(separator: "\n").joined(separator: "\n")
      #expect(words == exported.dropFirst().joined(separator: "\n"))
      #expect(try lines("run/report.md") == report)
    }

    @Test func aProgramOfSomebodysOwnHasItsOwnName() async throws {
      let refused = try await workplace.bench("list backend", program: "MisbehavingBench", exits: 64)
      #expect(refused.errors.hasPrefix("MisbehavingBench: "), "\(refused.errors)")
      let help = try await workplace.bench("--help", program: "MisbehavingBench")
      #expect(help.output.contains("USAGE: MisbehavingBench"))
      #expect(try await workplace.bench("run --help").output.contains("pairs"))
      let finished = try await workplace.bench(
        "run --allow-debug -b memory -w save-one -n 20 --once --label a|b --export-markdown short.md".words
          + ["-o", "its own"], program: "MisbehavingBench")
      // Without timing or counting, the table lists the executed cells.
      #expect(finished.output.contains("Each cell once, neither timed nor counted"))
      let line = finished.output.split(separator: "\n").last { $0.contains("memory/save-one/20/shipped") }
      let words = (line ?? "").split(whereSeparator: \.isWhitespace)
      #expect(words.count == 4 && words[1] == "8" && words[2].count == 16 && words[3] == "ok", "\(finished.output)")
      let page = try workplace.text("its own/report.md")
      #expect(page.contains("MisbehavingBench run --allow-debug -b memory"))
      #expect(page.contains("--label 'a"), "quoted, whatever Markdown makes of the bar")
    }
  }
}
