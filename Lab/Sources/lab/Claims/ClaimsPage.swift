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
      "- A test **holds** if the whole interval of its factor is within the needed bound, **does not hold** if it is",
      "  outside, and is **undecided** otherwise. A published figure is tested at 80 % of its size or as it is; where the",
      "  source has no figure, the bound is this suite's.",
      "- A claim **holds** if all its tests do, and **holds on these conditions** if some do. It is **undecided** if a",
      "  test is and none holds. Otherwise it is **contradicted**, but only **does not hold here** if it is about a",
      "  library that is other code on Linux, or about other data than the tests have.",
      "- Each time is the median of fifteen processes, undisturbed if a verdict rests on it. A write-ahead log that is",
      "  timed has reached its full size before.",
      "- Both sides of a comparison have the same safety level, unless the claim compares levels. `shipped` is each",
      "  library's default; [the backends](reference/backends.md) describe the settings of the others.",
      "- A case of a crash test is one simulated fault, and a share of cases is no probability. *lost*: an acknowledged",
      "  save is missing; *torn*: a save is half there, or content was never saved; *unnoticed*: wrong content is read",
      "  without an error; *refused*: the store takes no more saves.",
      "- Claims about Apple's libraries are tested with those for Linux, and claims about Core Data with a work-alike.",
      "",
      "Versions: \(versions). Debian's SQLite overwrites deleted content (SECURE_DELETE).", "",
      "| | claim | by | verdict |", "|--:|---|---|---|",
    ]
    lines += results.map { result in
      "| \(result.number) | [\(result.claim)](#\(result.id)) | [\(result.by)](\(result.source)) | \(result.verdict)\(Self.share(result)) |"
    }
    for result in results {
      lines += ["", "## \(result.id)", "", "\(result.number). \(result.claim)", ""]
      lines += ["[\(result.by)](\(result.source)). **\(Self.sentence(result.verdict))** `\(result.command)`", ""]
      lines += ["| condition | test | measured | |", "|---|---|---|---|"]
      lines += result.outcomes.map { outcome in
        "| \(outcome.when ?? "-") | `\(outcome.test)` | \(outcome.measured) | \(Self.word(outcome.outcome)) |"
      }
      lines += ["", "*Elsewhere:* \(result.elsewhere)", "*The author would say:* \(result.author)"]
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private var versions: String {
    Set(["sqlite", "sqlite-queue", "lmdb", "leveldb", "plist"].compactMap { environment.engines[$0] }).sorted()
      .joined(separator: ", ")
  }

  /// The number of tests that hold, if only some do.
  private static func share(_ result: ClaimResult) -> String {
    let kept = result.outcomes.count { $0.outcome == "holds" }
    return kept > 0 && kept < result.outcomes.count ? " (\(kept) of \(result.outcomes.count))" : ""
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
    lines += ["Elsewhere: \(result.elsewhere)", "The author would say: \(result.author)"]
    return lines.joined(separator: "\n")
  }
}
