import Foundation
import StorageReport
import StorageRunFiles
import Testing

@testable import StorageBench

/// The verdicts of `docs/claims.json` follow from the committed run, and rest on fair rows.
@Suite struct ClaimsTests {

  private struct File: Decodable {
    var claims: [Claim]
  }

  private struct Claim: Decodable {
    var number: Int
    var id, claim, by, source, verdict, command, elsewhere, author: String
    var compares: String?
    var outcomes: [Outcome]
  }

  private struct Outcome: Decodable {
    var test, outcome, measured: String
    var when: String?
    var cases: Int?
    var rows: [Row]
  }

  private struct Row: Decodable {
    var cell, settings: String
    var processes: Int
    var level, disturbed: String?
  }

  private static func claims() throws -> [Claim] {
    let url = repository.appendingPathComponent("docs/claims.json")
    return try JSONDecoder().decode(File.self, from: Data(contentsOf: url)).claims
  }

  @Test func `there are forty claims, each with a source, a test and a verdict`() throws {
    let claims = try Self.claims()
    #expect(claims.count >= 40)
    #expect(claims.map(\.number) == Array(1...claims.count))
    #expect(Set(claims.map(\.id)).count == claims.count)
    for claim in claims {
      #expect(claim.source.contains("://") && !claim.by.isEmpty, "\(claim.id): no source")
      #expect(claim.command == "scripts/lab claims \(claim.id)")
      #expect(
        !claim.elsewhere.isEmpty && !claim.author.isEmpty, "\(claim.id): no limits, or no objection of the author")
      #expect(!claim.outcomes.isEmpty, "\(claim.id): no test")
      #expect(claim.outcomes.count == 1 || claim.outcomes.allSatisfy { $0.when != nil }, "\(claim.id): no condition")
    }
  }

  @Test func `a verdict follows from its tests`() throws {
    for claim in try Self.claims() {
      let (kept, broken) = (
        claim.outcomes.count { $0.outcome == "holds" }, claim.outcomes.count { $0.outcome == "broken" }
      )
      let expected =
        kept == claim.outcomes.count
        ? ["holds"]
        : kept > 0
          ? ["holds on these conditions"]
          : broken == claim.outcomes.count ? ["contradicted", "does not hold here"] : ["undecided"]
      #expect(expected.contains(claim.verdict), "\(claim.id)")
    }
    #expect(try Self.claims().count { $0.verdict != "undecided" } >= 40)
  }

  @Test func `no verdict rests on one process, a new log, a disturbed row or unequal levels`() throws {
    for claim in try Self.claims() {
      for outcome in claim.outcomes where ["holds", "broken"].contains(outcome.outcome) {
        #expect((outcome.cases ?? 1) > 0 && outcome.rows.isEmpty == (outcome.cases != nil), "\(claim.id)")
        let isTimed = outcome.test.contains(#/ (p\d+|ops|cpu|max) /#)
        for row in outcome.rows where isTimed {
          #expect(row.processes >= 6, "\(claim.id): \(row.cell) rests on \(row.processes) processes")
          #expect(row.disturbed == nil, "\(claim.id): \(row.cell) was disturbed")
          #expect(!row.cell.contains("log=fresh"), "\(claim.id): \(row.cell) is timed in a growing log")
        }
        if claim.compares != "levels" {
          #expect(Set(outcome.rows.map(\.level)).count <= 1, "\(claim.id): \(outcome.test) compares two levels")
        }
      }
    }
  }

  @Test func `the committed run gives the same outcomes`() throws {
    let outcomes = try Self.claims().flatMap(\.outcomes).filter { $0.cases == nil }
    let rules = try outcomes.map { try Rule($0.test, location: "claims.json") }
    let run = RunDirectory(path: repository.appendingPathComponent("results/claims").path)
    let comparison = try RuleCheck(rules: rules, path: "claims.json").comparison(ReportModel(reading: run))
    for (outcome, judged) in zip(outcomes, comparison.judgements) {
      guard let figures = judged.figures else {
        #expect(outcome.outcome == judged.verdict.rawValue && outcome.measured == judged.note, "\(outcome.test)")
        continue
      }
      let shown =
        figures.low.flatMap { low in
          figures.high.map { NumberFormat.ratio(figures.value, low: low, high: $0) }
        } ?? NumberFormat.plain(figures.value)
      #expect(outcome.measured.hasPrefix(shown), "\(outcome.test)")
      // A gate keeps a rule that is not clearly broken; a claim holds only if the whole interval does.
      let (low, high) = (figures.low ?? figures.value, figures.high ?? figures.value)
      let isUpper = outcome.test.contains(" <")
      if outcome.outcome == "holds" {
        #expect(isUpper ? high <= figures.bound : low >= figures.bound, "\(outcome.test)")
      }
      if outcome.outcome == "broken" {
        #expect(isUpper ? low >= figures.bound : high <= figures.bound, "\(outcome.test)")
      }
    }
  }

  @Test func `the page has every claim with its verdict and its figures`() throws {
    let page = try String(contentsOf: repository.appendingPathComponent("docs/claims.md"), encoding: .utf8)
    for claim in try Self.claims() {
      let link = "[\(claim.claim)](#\(claim.id)) | [\(claim.by)](\(claim.source))"
      #expect(page.contains("| \(claim.number) | \(link) | \(claim.verdict)"), "\(claim.id)")
      for outcome in claim.outcomes {
        #expect(page.contains("`\(outcome.test)` | \(outcome.measured) |"), "\(claim.id)")
      }
    }
  }
}
