import Foundation
import StorageContract
import StorageReport
import StorageRunFiles

/// The page of all verdicts, `docs/claims.md`, and its data, `docs/claims.json`.
struct ClaimsPage {
  private let results: [ClaimResult]
  private let environment: MachineEnvironment
  /// The day of the run in UTC, as in `2026-11-28`.
  private let day: String

  /// - Parameter run: The directory of the run.
  init(_ results: [ClaimResult], run: String) throws {
    self.results = results
    let directory = RunDirectory(path: run)
    environment = try directory.environment()
    var first = Double.infinity
    _ = try directory.trials.forEach { first = min(first, $0.started) }
    day = Date(timeIntervalSince1970: first).formatted(.iso8601.year().month().day())
  }

  private struct Data: Encodable {
    var schema = 1
    var created: String
    var machine: String
    var engines: [String: String]
    var claims: [ClaimResult]
  }

  /// The verdicts with their rows, in a format for programs.
  var json: Foundation.Data {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      return try encoder.encode(
        Data(created: day, machine: environment.machine, engines: environment.engines, claims: results))
        + Foundation.Data("\n".utf8)
    }
  }

  private static let verdicts = [
    "holds", "holds on these conditions", "does not hold here", "contradicted", ClaimResult.undecided,
  ]

  var markdown: String {
    let counts = Self.verdicts.map { verdict in (verdict, results.count { $0.verdict == verdict }) }
      .filter { $0.1 > 0 }.map { "\($0.0): \($0.1)" }.joined(separator: ", ")
    var lines = [
      "# Published claims, tested", "",
      "\(results.count) claims that others have published about embedded storage. Verdicts: \(counts).", "",
      "`scripts/lab claims` measures them and writes this page and [claims.json](claims.json) from",
      "[rows](../results/claims) measured on \(day). `scripts/lab claims ID` measures one claim and prints its",
      "verdict. A claim is tested by [rules](reference/command-line.md) about measurements, or by numbers of cases of",
      "[crash tests](explanation/safety.md).", "",
      "- A claim **holds** if all its tests do, and **holds on these conditions** if some do.",
      "- Otherwise it is **contradicted**, but only **does not hold here** if it is about a library that is other code",
      "  on Linux, or about larger data than the tests have.",
      "- A test is undecided if the interval of its factor includes the claimed one. A claim is **undecided** if one of",
      "  its tests is and none holds.",
      "- Each time is the median of fifteen processes, undisturbed if a verdict rests on it. SQLite's log has been used",
      "  before.",
      "- Both sides of a comparison have the same safety level, unless the claim compares levels. `crash`, `intact` and",
      "  `durable` set synchronous and the journal as [the backends](reference/backends.md) say.", "",
      "Versions: \(versions). Debian's SQLite overwrites deleted content (SECURE_DELETE).", "",
      "| | claim | by | verdict |", "|--:|---|---|---|",
    ]
    lines += results.map { result in
      "| \(result.number) | [\(result.claim)](#\(result.id)) | [\(result.by)](\(result.source)) | \(result.verdict) |"
    }
    for result in results {
      lines += ["", "## \(result.id)", "", "\(result.number). \(result.claim)", ""]
      lines += ["[\(result.by)](\(result.source)). **\(Self.sentence(result.verdict))** `\(result.command)`", ""]
      lines += ["| condition | test | measured | |", "|---|---|---|---|"]
      lines += result.outcomes.map { outcome in
        "| \(outcome.when ?? "-") | `\(outcome.test)` | \(outcome.measured) | \(Self.word(outcome.outcome)) |"
      }
      lines += ["", "*Elsewhere:* \(result.elsewhere)", "*The author:* \(result.author)"]
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private var versions: String {
    Set(["sqlite", "sqlite-queue", "lmdb", "leveldb", "plist"].compactMap { environment.engines[$0] }).sorted()
      .joined(separator: ", ")
  }

  private static func sentence(_ verdict: String) -> String {
    verdict.prefix(1).uppercased() + verdict.dropFirst() + "."
  }

  private static func word(_ outcome: String) -> String {
    switch outcome {
    case "holds": "holds"
    case "broken": "does not hold"
    default: "undecided"
    }
  }

  /// The verdict on one claim, for a terminal.
  static func text(_ result: ClaimResult) -> String {
    var lines = ["\(result.claim) (\(result.by), \(result.source))", "Verdict: \(result.verdict)"]
    for outcome in result.outcomes {
      lines.append(
        "  \(word(outcome.outcome))\(outcome.when.map { " \($0)" } ?? ""): \(outcome.test): \(outcome.measured)")
    }
    lines += ["Elsewhere: \(result.elsewhere)", "The author: \(result.author)"]
    return lines.joined(separator: "\n")
  }
}
