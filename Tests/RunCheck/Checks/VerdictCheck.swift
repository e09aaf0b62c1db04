import Foundation

/// Checks the fastest backends, their factors and their levels against the trials.
enum VerdictCheck: RunCheck {
  static let name = "verdict"

  static func problems(_ run: FinishedRun) -> [String] {
    problems(of: run.page.items("verdict", "Who is fastest")) { item in
      guard let colon = item.range(of: ": "), let subject = Subject(String(item[..<colon.lowerBound])) else {
        return nil
      }
      let (text, stakes) = withoutStakes(String(item[colon.upperBound...].dropLast()))
      var problems = stakes.flatMap { check($0, run, subject) }
      for part in text.components(separatedBy: "; ") where !part.contains(" faster still, but ") {
        guard let claim = Claim(part) else {
          problems.append("not understood: \(part)")
          continue
        }
        problems += claim.sizes.flatMap { size in check(claim, size, run, subject) }
      }
      return problems
    }
  }

  /// A claim about one or several sizes.
  private struct Claim {
    var names: [String]
    var isAboutEqual = false
    var isOpen = false
    var loser: String?
    var sizes: [(records: String, factor: [Substring])] = []

    init?(_ text: String) {
      var rest = text
      names = []
      if let lead = text.firstMatch(of: /^(.+?) (are about equal|is the fastest \(inconclusive(?:, [^)]+)?\))/) {
        names = Series.names(lead.1)
        isAboutEqual = lead.2 == "are about equal"
        isOpen = !isAboutEqual
        rest = String(text[lead.range.upperBound...])
        if rest.hasPrefix(", and ") { rest.removeFirst(6) }
      }
      if let win = rest.firstMatch(of: /^(\S+) is (\S+×(?: \([^)]*\))?) faster than (\S+) at (\d+(?:,\d{3})*) records/)
      {
        let winner = String(win.1)
        if names.isEmpty { names = [winner] }
        guard names[0] == winner else { return nil }
        loser = String(win.3)
        sizes = [(win.4.ungrouped, Claim.figures(win.2))]
        rest = String(rest[win.range.upperBound...])
      } else if let size = rest.firstMatch(of: /^\ at (\d+(?:,\d{3})*) records/), !names.isEmpty {
        sizes = [(size.1.ungrouped, [])]
        rest = String(rest[size.range.upperBound...])
      } else {
        return nil
      }
      while let more = rest.firstMatch(of: /^, (?:(\S+×(?: \([^)]*\))?) )?at (\d+(?:,\d{3})*)/) {
        sizes.append((more.2.ungrouped, more.1.map { Claim.figures($0) } ?? []))
        rest = String(rest[more.range.upperBound...])
      }
      guard rest.isEmpty else { return nil }
    }

    /// Returns the three numbers of `3.1× (2.9-3.4)`.
    private static func figures(_ text: Substring) -> [Substring] { text.split { " ()-×".contains($0) } }
  }

  private static func check(
    _ claim: Claim, _ size: (records: String, factor: [Substring]), _ run: FinishedRun, _ subject: Subject
  ) -> [String] {
    var work = subject.columns
    work["records"] = size.records
    var problems: [String] = []
    func row(_ name: String) -> FinishedRun.Row? {
      guard let row = run.row(name, work), row.isTimed else {
        problems.append("\(name) has no time at \(size.records)")
        return nil
      }
      if row.text("fidelity") != "native" || run.once.contains(row.cell) { problems.append("\(name) may not win") }
      if let level = subject.level, let asked = subject.safety {
        if row.safety < asked { problems.append("\(name) is less safe than \(level)") }
        if (row.safety > asked) != name.hasSuffix("^") { problems.append("\(name) promises \(row.text("level"))") }
      }
      return row
    }
    guard let first = row(claim.names[0]) else { return problems }
    for name in claim.names.dropFirst() {
      guard let other = row(name), let pairs = Pairs(run.trials[first.cell], run.trials[other.cell]) else { continue }
      if claim.isAboutEqual, !pairs.isAboutEqual {
        problems.append("about equal at \(size.records), but \(name) takes \(pairs.low) to \(pairs.high) as long")
      }
      if claim.isOpen, pairs.isClearlySlower {
        problems.append("inconclusive at \(size.records), but \(name) takes \(pairs.low) to \(pairs.high) as long")
      }
    }
    if let loser = claim.loser, let last = row(loser) {
      guard let pairs = Pairs(run.trials[first.cell], run.trials[last.cell]) else {
        return problems + ["\(loser) has fewer than six rounds with \(claim.names[0]) at \(size.records)"]
      }
      if !pairs.isSlower { problems.append("\(loser) is not slower: \(pairs.low) to \(pairs.high)") }
      for (text, exact) in zip(size.factor, [pairs.ratio, pairs.low, pairs.high])
      where Shown(text)?.says(exact) != true {
        problems.append("\(text) at \(size.records) is \(exact) by the trials")
      }
    }
    // No competing backend is faster than the leader.
    for other in run.rows where other.text("workload") == work["workload"] && other.text("records") == size.records {
      guard other.text("fidelity") == "native", !run.once.contains(other.cell), !run.floors.contains(other.backend),
        competes(other, with: first, subject),
        let pairs = Pairs(run.trials[first.cell], run.trials[other.cell]), pairs.isClearlyFaster
      else { continue }
      problems.append("\(other.backend) is faster than \(claim.names[0]) at \(size.records): \(pairs.ratio)")
    }
    return problems
  }

  private static func competes(_ row: FinishedRun.Row, with other: FinishedRun.Row, _ subject: Subject) -> Bool {
    let shape = ["record_bytes", "threads", "cache", "machine"]
    guard shape.allSatisfy({ row.text($0) == other.text($0) }) else { return false }
    guard let asked = subject.safety else { return row.text("durability").isEmpty }
    return row.text("durability") == subject.columns["durability"]
      && (row.safety == asked || (row.safety > asked && asked >= 2))
  }

  /// Returns a sentence without the remarks in parentheses after names, and the remarks by name.
  private static func withoutStakes(_ text: String) -> (String, [(name: String, stake: String)]) {
    let stake = /(\S+) \(((?:nothing lost|may lose|may be corrupt|! a crash)[^)]*)\)/
    var stakes: [(String, String)] = []
    let plain = text.replacing(stake) { match in
      stakes.append((String(match.1), String(match.2)))
      return String(match.1)
    }
    return (plain, stakes)
  }

  /// Returns the faults of a stated loss, against the level and the counted syncs.
  private static func check(_ said: (name: String, stake: String), _ run: FinishedRun, _ subject: Subject) -> [String] {
    let backend = said.name.replacing("^", with: "")
    let all = run.rows.filter { $0.backend == backend && $0.text("workload") == subject.columns["workload"] }
    let asked = all.filter { $0.text("durability") == subject.columns["durability"] }
    let rows = asked.isEmpty ? all.filter { $0.text("durability") == "shipped" } : asked
    let isRight = rows.contains { row in
      let syncs = row.perOperation("syncs")
      let words: String? =
        switch row.text("level") {
        case "durable": "nothing lost"
        case "intact": (syncs ?? 1) < 0.5 ? "may lose the last saves" : "may lose the last save"
        case "crash": "may be corrupt"
        case "fragile": "! a crash can empty it"
        default: nil
        }
      let parts = said.stake.components(separatedBy: ", ")
      guard parts[0] == words else { return false }
      guard parts.count > 1, let syncs else { return true }
      let number = parts[1].split(separator: " ").first.map(String.init) ?? ""
      return number == "<0.01" ? syncs > 0 && syncs < 0.01 : Shown(number)?.says(syncs) == true
    }
    return isRight ? [] : ["\(said.name) is said: \(said.stake)"]
  }
}
