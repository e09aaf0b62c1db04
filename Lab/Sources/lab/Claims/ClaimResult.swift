import Foundation
import StorageContract
import StorageReport
import StorageRunFiles
import StorageStatistics

/// The verdict on a claim, as `docs/claims.json` has it.
struct ClaimResult: Encodable {
  /// The outcome of one test.
  struct Outcome: Encodable {
    var when: String?
    /// The rule or crash case.
    var test: String
    /// `holds`, `broken`, or another verdict of `check` if the test is undecided.
    var outcome: String
    /// The measured value beside the bound of the test.
    var measured: String
    var rows: [Row]
    /// The number of crash cases; nil for measurements.
    var cases: Int?
  }

  /// A row of the run.
  struct Row: Encodable {
    var cell: String
    /// The number of timed processes; 0 if the row was only counted.
    var processes: Int
    /// The safety level that the backend promises; nil for workloads that only read.
    var level: String?
    var settings: String
    /// The median of the operation's time in nanoseconds.
    var median: Double?
    /// Why the times are not reliable; nil if they are.
    var disturbed: String?

    private enum CodingKeys: String, CodingKey {
      case cell, processes, level, settings
      case median = "p50_ns"
      case disturbed
    }
  }

  var number: Int
  var id: String
  var claim: String
  var by: String
  var source: String
  var verdict: String
  /// The command that measures the claim and prints its verdict.
  var command: String
  var outcomes: [Outcome]
  var elsewhere: String
  var author: String
  var compares: Claim.Compared?

  init(_ claim: Claim, number: Int, evidence: Evidence) throws {
    (self.number, id, self.claim, by, source) = (number, claim.id, claim.claim, claim.by, claim.source)
    (elsewhere, author, compares) = (claim.elsewhere, claim.author, claim.compares)
    command = "scripts/lab claims \(claim.id)"
    outcomes =
      try (claim.tests ?? []).map { try evidence.outcome($0) } + (claim.crash ?? []).map { try evidence.outcome($0) }
    let kept = outcomes.count { $0.outcome == "holds" }
    let broken = outcomes.count { $0.outcome == "broken" }
    verdict =
      if kept > 0 {
        kept == outcomes.count ? "holds" : "holds on these conditions"
      } else if broken == outcomes.count {
        claim.here != nil ? "does not hold here" : "contradicted"
      } else {
        Self.undecided
      }
  }

  /// The verdict if no test holds and one could not be decided, because the interval of its factor has the bound
  /// inside, or a row was disturbed.
  static let undecided = "undecided"

  /// The run and the crash tests from which verdicts follow.
  struct Evidence {
    private let rows: [String: SummaryRow]
    private let judgements: [String: Judgement]
    private let findings: [SafetyReport.FaultResult]

    /// Reads `run`, the directory of a run; `comparison.json`, in which `check` judged its rules; and `safety.json`.
    /// Each is nil if no claim needs it.
    init(run: String?, comparison: String?, safety: String?) throws {
      rows =
        try run.map { try ReportModel(reading: RunDirectory(path: $0)).rows }.map {
          Dictionary($0.map { ($0.cell.name, $0) }, uniquingKeysWith: { first, _ in first })
        } ?? [:]
      judgements =
        try comparison.map { try Self.decoded(Comparison.self, $0).judgements }.map {
          Dictionary($0.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        } ?? [:]
      findings = try safety.map { try Self.decoded(SafetyReport.self, $0).findings } ?? []
    }

    private static func decoded<Value: Decodable>(_ type: Value.Type, _ path: String) throws -> Value {
      try JSONDecoder().decode(type, from: Data(contentsOf: URL(fileURLWithPath: path)))
    }

    func outcome(_ test: Claim.Test) throws -> Outcome {
      let words = test.rule.split(whereSeparator: \.isWhitespace).map(String.init)
      guard let judged = judgements[words.joined(separator: " ")] else {
        throw UsageError("the run has no judgement of '\(test.rule)'; measure again")
      }
      let cells = [words[0], words[words.count - 1]].filter { $0.contains("/") }
      return Outcome(
        when: test.when, test: judged.name, outcome: Self.strictly(judged, words[2]),
        measured: Self.measured(judged, words),
        rows: cells.compactMap { rows[$0] }.map { row in
          Row(
            cell: row.cell.name, processes: row.processes, level: row.level?.rawValue, settings: row.settings,
            median: row.p50, disturbed: row.disturbance)
        }, cases: nil)
    }

    /// Returns the figures of a rule beside the bound of the test, such as `1.4× (1.1-1.5), needed >= 80×`. Counts stand with
    /// those of the other cell.
    private static func measured(_ judged: Judgement, _ rule: [String]) -> String {
      guard let figures = judged.figures else { return judged.note }
      let comparesCells = rule[rule.count - 1].contains("/")
      let factor = rule.count == 6 ? rule[3] : "1"
      let needed = "needed \(rule[2]) \(comparesCells ? factor + "×" : rule[3])"
      if let low = figures.low, let high = figures.high {
        return "\(NumberFormat.ratio(figures.value, low: low, high: high)), \(needed)"
      }
      let left = NumberFormat.plain(figures.value)
      guard comparesCells, let times = Double(factor) else { return "\(left), \(needed)" }
      let right = figures.bound / times
      let ratio = right > 0 ? ": \(NumberFormat.plain(figures.value / right))×" : ""
      return "\(left) and \(NumberFormat.plain(right))\(ratio), \(needed)"
    }

    /// Returns the outcome of a rule. A gate keeps a rule about times unless the whole interval of the factor breaks it.
    /// A claim holds only if the whole interval does.
    private static func strictly(_ judged: Judgement, _ comparator: String) -> String {
      guard let figures = judged.figures, let low = figures.low, let high = figures.high,
        [.holds, .broken].contains(judged.verdict)
      else { return judged.verdict.rawValue }
      let isKept: (Double) -> Bool =
        switch comparator {
        case "<": { $0 < figures.bound }
        case "<=": { $0 <= figures.bound }
        case ">": { $0 > figures.bound }
        default: { $0 >= figures.bound }
        }
      return isKept(low) && isKept(high)
        ? ChangeVerdict.holds.rawValue
        : isKept(low) || isKept(high) ? ChangeVerdict.unmeasurable.rawValue : ChangeVerdict.broken.rawValue
    }

    func outcome(_ crash: Claim.Crash) throws -> Outcome {
      let item = try CrashCase(crash)
      let found = findings.filter { finding in
        finding.backend == item.backend && finding.durability.rawValue == item.level && finding.fault == item.fault
          && item.variant.map(finding.variant.hasPrefix) ?? true
      }
      guard !found.isEmpty else {
        throw UsageError("no crash test was made of '\(item.text)'; measure again")
      }
      let (sum, cases) = (found.map(item.counted).reduce(0, +), found.map(\.cases).reduce(0, +))
      return Outcome(
        when: crash.when, test: item.text, outcome: item.holds(sum) ? "holds" : "broken",
        measured: "\(item.field): \(sum) of \(cases) cases", rows: [], cases: cases)
    }
  }
}
