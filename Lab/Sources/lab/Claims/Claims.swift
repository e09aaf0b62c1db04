import Foundation
import StorageContract

/// The study `claims`, whose steps `scripts/lab claims` calls in turn.
///
///     lab claims rules FILE [ID...]                            prints the rules, for `run --plan` and `check`
///     lab claims crashes FILE [ID...]                          prints the arguments of each call of `crashtest`
///     lab claims verdicts FILE RUN COMPARISON SAFETY [ID...]   prints the verdicts, for people
///     lab claims page FILE RUN COMPARISON SAFETY DIR           writes claims.md and claims.json into DIR
///
/// RUN, COMPARISON and SAFETY are `-` if no claim needs them.
enum Claims: Study {
  static let name = "claims"

  static func run(_ arguments: [String]) throws -> Int32 {
    guard arguments.count >= 2 else { throw UsageError("give rules, crashes, verdicts or page, and a file of claims") }
    let (step, file, rest) = (arguments[0], arguments[1], Array(arguments.dropFirst(2)))
    switch step {
    case "rules":
      let rules = try ClaimFile.read(file, ids: rest).flatMap(\.rules)
      if !rules.isEmpty { print("rules:") }
      for rule in unique(rules) { print("  - \"\(rule)\"") }
    case "crashes":
      let cases = try ClaimFile.read(file, ids: rest).flatMap { $0.crash ?? [] }
      for call in unique(try cases.map { try CrashCase($0).call }) { print(call) }
    case "verdicts" where rest.count >= 3:
      let results = try results(file, rest, ids: Array(rest.dropFirst(3)))
      print(results.map(ClaimsPage.text).joined(separator: "\n"))
      return results.contains { $0.verdict == ClaimResult.undecided } ? 3 : 0
    case "page" where rest.count == 4:
      let results = try results(file, rest, ids: [])
      let page = try ClaimsPage(results, run: rest[0])
      try Data(page.markdown.utf8).write(to: URL(fileURLWithPath: "\(rest[3])/claims.md"))
      try page.json.write(to: URL(fileURLWithPath: "\(rest[3])/claims.json"))
    default: throw UsageError("'\(arguments.joined(separator: " "))' is no step of this study")
    }
    return 0
  }

  private static func results(_ file: String, _ paths: [String], ids: [String]) throws -> [ClaimResult] {
    let given = paths.prefix(3).map { $0 == "-" ? nil : $0 }
    let evidence = try ClaimResult.Evidence(run: given[0], comparison: given[1], safety: given[2])
    let numbers = try ClaimFile.read(file, ids: []).map(\.id)
    return try ClaimFile.read(file, ids: ids).map { claim in
      try ClaimResult(claim, number: (numbers.firstIndex(of: claim.id) ?? 0) + 1, evidence: evidence)
    }
  }

  private static func unique(_ texts: [String]) -> [String] {
    var seen: Set<String> = []
    return texts.filter { seen.insert($0).inserted }
  }
}
