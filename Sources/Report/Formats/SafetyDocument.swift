import Foundation
import StorageContract
import StorageRunFiles

/// What `crashtest` found, to be read: `safety.md`.
public enum SafetyDocument {
  /// The text. It is not cut: nobody posts it as a comment.
  public static func markdown(_ report: SafetyReport) -> String {
    var panel = Panel(id: "safety", title: "What was found")
    panel.lead = SafetySentences.lead(report.findings) + ["\(report.place). Seed \(String(report.seed))."]
    var table = SafetyTable.table(report.findings)
    table.title = "Cases"
    panel.tables = [table]
    panel.guide = SafetyTable.guide
    var blocks = MarkdownFormat.blocks(panel)
    let settings = settings(report.findings)
    blocks.append(
      MarkdownBlock(
        heading: "Engines and settings", level: 3, columns: ["backend", "asked", "engine", "settings"], rows: settings))
    let states = states(report.findings)
    if !states.isEmpty {
      blocks.append(
        MarkdownBlock(
          heading: "States after a power cut", level: 3,
          columns: ["backend", "asked", "model", "states tried", "sets of missing changes", "seconds, both models"],
          rows: states))
    }
    for result in report.findings {
      for failure in result.failures {
        blocks.append(
          MarkdownBlock(
            heading: MarkdownText.escaped("\(result.backend), \(result.durability.rawValue), \(failure.name)"),
            level: 3,
            words: failure.story.map(MarkdownText.escaped) + ["    \(failure.command)"]
              + (failure.replay.map {
                [MarkdownText.escaped("Again, from the files and calls as they were: --only \($0)")]
              } ?? [])))
      }
    }
    blocks.append(
      MarkdownBlock(
        heading: "How to read this", rows: panel.guide.map { [MarkdownText.text($0)] },
        summary: "what columns and marks mean"))
    return MarkdownDocument(title: "storage-bench crashtest", blocks: blocks).text(limit: .max)
  }

  /// How much of what a cut may leave was tried, and how long that took.
  private static func states(_ findings: [SafetyReport.FaultResult]) -> [[String]] {
    findings.compactMap { result in
      guard let possible = result.possible else { return nil }
      return [
        MarkdownText.escaped(result.backend), result.durability.rawValue, result.variant,
        Quantity.grouped(result.cases),
        SafetyTable.rounded(possible), result.seconds.map { String(format: "%.1f", $0) } ?? "",
      ]
    }
  }

  private static func settings(_ findings: [SafetyReport.FaultResult]) -> [[String]] {
    var seen: Set<[String]> = []
    return findings.map { result in
      [result.backend, result.durability.rawValue, result.engine, result.settings].map {
        $0.isEmpty ? "-" : MarkdownText.escaped($0)
      }
    }.filter { seen.insert($0).inserted }
  }
}
