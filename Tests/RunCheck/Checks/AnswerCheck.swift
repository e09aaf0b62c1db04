import Foundation

/// Checks each sentence of the answer against its rows. A sentence that is not understood is a problem, because its
/// truth would be unknown.
enum AnswerCheck: RunCheck {
  static let name = "answer"

  static func problems(_ run: FinishedRun) -> [String] {
    let readers: [(FinishedRun, String) -> [String]?] = [
      CrossoverCheck.problems, limit, rewriting, setting, promise, library, launch, alternatives, code,
    ]
    return silence(run) + problems(of: sentences(run)) { item in readers.lazy.compactMap { $0(run, item) }.first }
  }

  /// Checks `durable: lmdb, plist (durable) (at 100 records).`: each is a row of that level that takes at most one
  /// frame.
  private static func alternatives(_ run: FinishedRun, _ item: String) -> [String]? {
    guard let said = item.wholeMatch(of: /(durable|intact|crash|fragile): (.+)\./) else { return nil }
    let plain = said.2.replacing(/\ \(at [^)]*\)/, with: "")
    return plain.components(separatedBy: ", ").compactMap { name in
      let isThere = run.rows.contains { row in
        let durability = row.text("durability")
        return row.text("workload") == "save-one" && row.text("level") == String(said.1)
          && name == (durability == "shipped" ? row.backend : "\(row.backend) (\(durability))")
          && row.time ?? .infinity <= 16.7e6
      }
      return isThere ? nil : "\(name) has no row at \(said.1) within one frame"
    }
  }

  /// Returns the sentences of the answer without those on missing measurements.
  static func sentences(_ run: FinishedRun) -> [String] {
    run.page.lists.filter { $0.section == "answer" && $0.title != "guide" && $0.title != unsaid }.flatMap(\.items)
  }

  /// Whether an item is a line of code that sets a backend to a level: `lmdb (durable): let environment = ...`.
  static func isCode(_ item: String) -> Bool { item.prefixMatch(of: #/\S+ \((?:crash|intact|durable)\): /#) != nil }

  /// Checks that a line of code is of a measured row.
  private static func code(_ run: FinishedRun, _ item: String) -> [String]? {
    guard isCode(item), let said = item.prefixMatch(of: /(\S+) \((\w+)\)/) else { return nil }
    let isThere = run.rows.contains { $0.backend == said.1 && $0.text("durability") == said.2 }
    return isThere ? [] : ["there is no row of \(said.1) at \(said.2)"]
  }

  private static let unsaid = "What this run does not say"

  /// Checks `How stores ... share with another process (-w two-processes), ...`: the run must not have measured it.
  private static func silence(_ run: FinishedRun) -> [String] {
    run.page.items("answer", unsaid).flatMap { item in
      item.matches(of: /-w ([a-z-]+)/).compactMap { said in
        let isThere = run.rows.contains {
          $0.text("status") == "ok" && $0.text("workload").split(separator: ":").first == said.1
        }
        return isThere ? "\(said.1) was run, in \u{201C}\(item)\u{201D}" : nil
      }
    }
  }

  /// Returns the workload of an operation's name.
  private static func workload(_ run: FinishedRun, _ operation: some StringProtocol) -> String? {
    run.workloads.first { $0.key.lowercased() == operation.lowercased() }?.value
  }

  /// Checks `A save fits into one frame (16.7 ms) up to ~1,900 records in plist; at every size measured (...) in
  /// sqlite.`
  private static func limit(_ run: FinishedRun, _ item: String) -> [String]? {
    if let over = item.wholeMatch(of: /(.+) takes longer than one frame \(([\d.]+) ms\) (.+)\./) {
      let parts = over.3.components(separatedBy: "; ").map { "not \($0)" }.joined(separator: "; ")
      return limit(run, "\(over.1) fits into one frame (\(over.2) ms) \(parts).")
    }
    guard let said = item.wholeMatch(of: /(.+) fits into one frame \(([\d.]+) ms\) (.+)\./),
      let workload = workload(run, said.1), let limit = Double(said.2)
    else { return nil }
    return said.3.components(separatedBy: "; ").flatMap { part -> [String] in
      var claims: [(text: String, names: [String])] = []
      if part.hasPrefix("up to ") {
        for match in part.matches(of: /(~[\d,]+) (?:records )?in ([^ ,]+)/) {
          claims.append(("to \(match.1)", [String(match.2)]))
        }
      } else if let always = part.wholeMatch(of: /(at every size measured \(.+\)) in (.+)/) {
        claims = [(String(always.1), Series.names(always.2))]
      } else if let one = part.wholeMatch(of: /at ([\d,]+) in (.+)/) {
        claims = [("at the only size measured (\(one.1))", Series.names(one.2))]
      } else if let none = part.wholeMatch(of: /not at ([\d,]+) in (.+)/) {
        claims = [("over one frame at \(none.1)", Series.names(none.2))]
      }
      guard !claims.isEmpty else { return ["not understood: \(part)"] }
      return claims.flatMap { text, names in
        names.flatMap { name -> [String] in
          let rows = ["shipped", ""].map { Series.rows(run, name, $0, workload: workload) }.first { !$0.isEmpty } ?? []
          return LimitCheck.check(text, rows, limit * 1e6).map { "\(name): \($0)" }
        }
      }
    }
  }

  /// Checks `Changing one of 10,000 records writes 1.8 MB to 2.5 MB in defaults and plist, which ..., and 13 kB in
  /// sqlite.`
  private static func rewriting(_ run: FinishedRun, _ item: String) -> [String]? {
    let pattern =
      /Changing one of ([\d,]+) records writes (.+) in (.+), which rewrites? (?:its|their) whole file, and (.+) in (.+)\./
    guard let said = item.wholeMatch(of: pattern) else { return nil }
    return [(said.2, said.3), (said.4, said.5)].flatMap { range, backends -> [String] in
      let values = Series.names(backends).compactMap { name in
        run.row(
          name, ["workload": "save-one", "records": said.1.ungrouped, "durability": "shipped"])?
          .perOperation("bytes_written_settled")
      }
      guard values.count == Series.names(backends).count else { return ["\(backends) were not all counted"] }
      return Shown.says(range, values) ? [] : ["it is \(values) in \(backends)"]
    }
  }

  /// Checks `sqlite set to durable (journal_mode=wal) is 2.5× (2.1-2.9) as fast at a save as shipped, and is safer
  /// (...).`
  private static func setting(_ run: FinishedRun, _ item: String) -> [String]? {
    let pattern =
      /(.+?) (?:with (\S+) ?)?(?:set to (\w+) ?)?(?:\(.*?\) )?(?:is|are) (.+) as fast at (.+) as shipped, and (?:is|are) (.+)\./
    guard let said = item.wholeMatch(of: pattern), let workload = workload(run, said.5) else { return nil }
    let factors = said.4.matches(of: /([\d.,]+×) \([^)]*\)/).map { String($0.1) }
    let backends = Series.names(said.1)
    guard factors.count == backends.count else { return ["not understood: \(said.4)"] }
    return zip(backends, factors).flatMap { name, factor -> [String] in
      let size = run.rows.filter { $0.text("workload") == workload }.compactMap { $0.number("records") }.max() ?? 0
      let work = ["workload": workload, "records": String(Int(size))]
      let options = said.2.map { ":\($0)" } ?? ""
      let asked = said.3.map(String.init) ?? "shipped"
      guard let old = run.row(name, work.merging(["durability": "shipped"]) { $1 }),
        let new = run.row(name + options, work.merging(["durability": asked]) { $1 }),
        let pairs = Pairs(run.trials[new.cell], run.trials[old.cell]), let shown = Shown(factor)
      else { return ["\(name) was not run both ways"] }
      return (pairs.isSlower && shown.says(pairs.ratio) ? [] : ["\(name) is \(pairs.ratio) times as fast"])
        + (said.6.hasPrefix("safer") == (new.safety > old.safety)
          ? [] : ["\(name) is \(new.text("level")), not \(old.text("level"))"])
    }
  }

  /// Checks `lmdb as shipped is safer and faster: after a power cut ...; plist (...) takes 2.4× as long for a save into
  /// N records.`
  private static func promise(_ run: FinishedRun, _ item: String) -> [String]? {
    let pattern =
      /(\S+) as shipped is safer and faster: after a power cut .+?; (.+) \(.+\) takes? (.+) as long for (.+) at ([\d,]+) records\./
    guard let said = item.wholeMatch(of: pattern), let workload = workload(run, said.4) else { return nil }
    let work = ["workload": workload, "records": said.5.ungrouped, "durability": "shipped"]
    guard let best = run.row(String(said.1), work) else { return ["\(said.1) was not run"] }
    var problems: [String] = []
    let ratios = Series.names(said.2).compactMap { name -> Double? in
      guard let row = run.row(name, work), let pairs = Pairs(run.trials[best.cell], run.trials[row.cell]) else {
        problems.append("\(name) was not run")
        return nil
      }
      if !pairs.isSlower { problems.append("\(name) is not slower") }
      if row.safety >= best.safety { problems.append("\(name) is not less safe") }
      return pairs.ratio
    }
    return Shown.says(said.3, ratios) ? problems : problems + ["the factors are \(ratios)"]
  }

  /// Checks `A read through sqlite-queue takes 6.4× (5.9-7.0) as long as in sqlite, the engine below it: 69 µs and 11
  /// µs at ...`
  private static func library(_ run: FinishedRun, _ item: String) -> [String]? {
    let pattern =
      /(.+) through (\S+) takes ([\d.,]+×) .*as long as in (\S+), the engine below it: .+ at ([\d,]+) records\./
    guard let said = item.wholeMatch(of: pattern), let workload = workload(run, said.1) else { return nil }
    let records = said.5.ungrouped
    // One of the levels at which both were run must have this factor.
    let factors = ["", "shipped", "crash", "intact", "durable"].compactMap { asked -> Double? in
      let work = ["workload": workload, "records": records, "durability": asked]
      guard let mine = run.row(String(said.2), work), let theirs = run.row(String(said.4), work) else { return nil }
      return Pairs(run.trials[theirs.cell], run.trials[mine.cell])?.ratio
    }
    guard let shown = Shown(said.3) else { return ["not understood: \(said.3)"] }
    return factors.contains(where: shown.says) ? [] : ["the factors are \(factors)"]
  }

  /// Checks `plist reads fast and launches slowly: ...`, whose figures state their origin themselves.
  private static func launch(_ run: FinishedRun, _ item: String) -> [String]? {
    item.wholeMatch(of: /\S+ reads fast and launches slowly: .+ but .+ against .+ records\./) == nil ? nil : []
  }
}
