import Foundation
import StorageContract
import StorageReport
import StorageRunFiles

/// The verdict on a claim, as `docs/claims.json` has it.
struct ClaimResult: Encodable {
  /// The outcome of one test.
  struct Outcome: Encodable {
    var when: String?
    /// The rule or crash case.
    var test: String
    /// `holds`, `broken`, or another verdict of `check` if the test is undecided.
    var outcome: String
    /// The measured value beside the claimed one.
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
  var compares: String?

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

  /// The verdict if no test holds and one could not be decided, because the interval of its factor has the claimed one
  /// inside, or a row was disturbed.
  static let undecided = "undecided"

  /// The run and the crash tests from which verdicts follow.
  struct Evidence {
    private let rows: [String: SummaryRow]
    private let judgements: [String: Judged]
    private let findings: [SafetyReport.FaultResult]

    private struct Checked: Decodable { var judgements: [Judged] }
    private struct Judged: Decodable { var name, note, verdict: String }

    /// Reads `run`, the directory of a run; `comparison.json`, in which `check` judged its rules; and `safety.json`.
    /// Each is nil if no claim needs it.
    init(run: String?, comparison: String?, safety: String?) throws {
      rows =
        try run.map { try ReportModel(reading: RunDirectory(path: $0)).rows }.map {
          Dictionary($0.map { ($0.cell.name, $0) }, uniquingKeysWith: { first, _ in first })
        } ?? [:]
      judgements =
        try comparison.map { try Self.decoded(Checked.self, $0).judgements }.map {
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
        measured: Self.measured(judged.note, words),
        rows: cells.compactMap { rows[$0] }.map { row in
          Row(
            cell: row.cell.name, processes: row.processes, level: row.level?.rawValue, settings: row.settings,
            median: row.p50, disturbed: row.disturbance)
        }, cases: nil)
    }

    /// Returns the note of a rule with the claimed factor, instead of the distance to it: `1.4× (1.1-1.5), claimed >= 80`.
    private static func measured(_ note: String, _ rule: [String]) -> String {
      let factor = rule.count == 6 ? rule[3] : rule[3].contains("/") ? "1" : nil
      let claimed = "claimed \(rule[2]) \(factor ?? rule[3])"
      if let interval = note.firstMatch(of: /^(.*\)) against [\d.]+/)?.output.1 {
        return "\(interval), \(claimed)"
      }
      guard let counts = note.firstMatch(of: /^([\d.]+) against ([\d.]+)/)?.output, let left = Double(counts.1),
        let right = Double(counts.2)
      else { return note }
      guard let factor, let times = Double(factor), right > 0 else { return "\(counts.1), \(claimed)" }
      return
        "\(counts.1) and \(NumberFormat.plain(right / times)): \(NumberFormat.plain(left / right * times))×, \(claimed)"
    }

    /// Returns the outcome of a rule. A gate keeps a rule about times unless the whole interval of the factor breaks it.
    /// A claim holds only if the whole interval does.
    private static func strictly(_ judged: Judged, _ comparator: String) -> String {
      guard ["holds", "broken"].contains(judged.verdict),
        let numbers = judged.note.firstMatch(of: /\((\d[\d.]*)-(\d[\d.]*)\) against (\d[\d.]*)/)?.output,
        let low = Double(numbers.1), let high = Double(numbers.2), let bound = Double(numbers.3)
      else { return judged.verdict }
      let isUpper = comparator.hasPrefix("<")
      let isStrict = comparator.count == 1
      if isUpper ? (isStrict ? high < bound : high <= bound) : (isStrict ? low > bound : low >= bound) {
        return "holds"
      }
      return (isUpper ? low > bound : high < bound) ? "broken" : "unmeasurable"
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
