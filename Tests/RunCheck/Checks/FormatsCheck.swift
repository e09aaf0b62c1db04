import Foundation

/// Checks that the page, the Markdown, the JSON and the terminal agree.
enum FormatsCheck: RunCheck {
  static let name = "formats"

  static func problems(_ run: FinishedRun) -> [String] {
    let said = run.page.lists.filter { $0.section == "verdict" && $0.title != "guide" }.flatMap(\.items)
    let markdown = Set(run.markdown.split(separator: "\n").filter { $0.hasPrefix("- ") }.map { plain($0.dropFirst(2)) })
    let verdict = Set((run.json["verdict"] as? [String] ?? []).map { plain($0[...]) })
    var problems: [String] = []
    var cut = leftOut(run.markdown)
    for item in said.map({ plain($0[...]) }) {
      if !markdown.contains(item) {
        cut -= 1
        if cut < 0 { problems.append("report.md does not say \u{201C}\(item)\u{201D}") }
      }
      if !run.json.isEmpty, !verdict.contains(item) {
        problems.append("report.json does not say \u{201C}\(item)\u{201D}")
      }
    }
    return problems + answer(run, markdown) + rankings(run) + terminal(run)
  }

  /// Returns the number of lines that report.md leaves out to stay short, as it says itself.
  private static func leftOut(_ markdown: String) -> Int {
    markdown.matches(of: /(?m)^([\d,]+) more lines? (?:is|are) left out/)
      .reduce(0) { $0 + (Int($1.output.1.replacing(",", with: "")) ?? 0) }
  }

  /// Checks that the sentences of the answer are the same in all formats.
  private static func answer(_ run: FinishedRun, _ markdown: Set<String>) -> [String] {
    let json = Set((run.json["answer"] as? [String] ?? []).map { plain($0[...]) })
    let words = plain(run.terminal[...])
    let sentences = AnswerCheck.sentences(run).map { plain($0[...]) }
    // The lines left out of the first list of report.md are those of the answer.
    let answer = run.markdown.prefix(
      upTo: run.markdown.ranges(of: "\n## ").dropFirst().first?.lowerBound ?? run.markdown.endIndex)
    let missing = sentences.filter { !markdown.contains($0) }.dropFirst(leftOut(String(answer)))
      .map { "report.md does not say \u{201C}\($0)\u{201D}" }
    return missing
      + sentences.flatMap { item in
        [
          run.json.isEmpty || json.contains(item) ? nil : "report.json does not say \u{201C}\(item)\u{201D}",
          run.terminal.isEmpty || AnswerCheck.isCode(item) || words.contains(item)
            ? nil : "the terminal does not say \u{201C}\(item)\u{201D}",
        ].compactMap { $0 }
      }
  }

  /// Returns a text without marks and with single spaces.
  private static func plain(_ text: Substring) -> String {
    ["**", "`", "\\"].reduce(text.replacing("&lt;", with: "<").replacing("&gt;", with: ">")) {
      $0.replacing($1, with: "")
    }.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  /// Checks the factors of the rankings in the JSON against the trials.
  private static func rankings(_ run: FinishedRun) -> [String] {
    (run.json["winners"] as? [[String: Any]] ?? []).flatMap { winner -> [String] in
      let question = winner["question"] as? String ?? ""
      guard let subject = Subject(question), let leaders = winner["leaders"] as? [String],
        let ranking = winner["ranking"] as? [[String: Any]],
        let best = leaders.first.flatMap({ run.row($0, subject.columns) })
      else { return ["report.json: the question \(question) is not understood"] }
      var problems: [String] = []
      for standing in ranking {
        guard let backend = standing["backend"] as? String, let row = run.row(backend, subject.columns),
          let factor = (standing["factor"] as? NSNumber)?.doubleValue
        else {
          problems.append("report.json: \(question) ranks a row without a factor")
          continue
        }
        guard row.cell != best.cell else { continue }
        let exact = Pairs(run.trials[best.cell], run.trials[row.cell])?.ratio ?? (row.time ?? 0) / (best.time ?? 1)
        if abs(factor / exact - 1) > 1e-3 {
          problems.append("report.json: \(question), \(backend) has the factor \(factor), by its trials \(exact)")
        }
      }
      if let next = winner["next"] as? String, let slower = (winner["slower"] as? NSNumber)?.doubleValue,
        let row = run.row(next, subject.columns), let pairs = Pairs(run.trials[best.cell], run.trials[row.cell]),
        abs(slower / pairs.ratio - 1) > 1e-3
      {
        problems.append("report.json: \(question), \(next) is \(slower) times slower, by its trials \(pairs.ratio)")
      }
      return problems
    }
  }

  /// Checks that the terminal has the verdicts of the page, and its table the times of the summary.
  private static func terminal(_ run: FinishedRun) -> [String] {
    guard !run.terminal.isEmpty else { return [] }
    let words = plain(run.terminal[...])
    var problems: [String] = []
    for item in run.page.items("verdict", "Who is fastest").prefix(12) where !words.contains(plain(item[...])) {
      problems.append("the terminal does not say \u{201C}\(item)\u{201D}")
    }
    let lines = run.terminal.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard let title = lines.firstIndex(where: { $0.hasPrefix("One small save into a store of N records") }),
      lines.count > title + 1
    else { return problems }
    let asked = lines[title].firstMatch(of: /every library set to (\w+)/).map { String($0.1) } ?? "shipped"
    // The first column has the names.
    let sizes = lines[title + 1].split(separator: " ").dropFirst().prefix { $0.first?.isNumber == true }
      .map { String($0.replacing(",", with: "")) }
    for line in lines[(title + 2)...].prefix(while: { !$0.isEmpty }) where line.first != " " {
      let name = String(line.split(separator: " ")[0])
      let times = line.matches(of: /([\d.,]+ (?:ns|µs|ms|s))(?= |$)/).prefix(sizes.count).map { String($0.1) }
      guard times.count == sizes.count else { continue }
      for (size, time) in zip(sizes, times) {
        let work = ["workload": "save-one", "records": size, "durability": asked]
        guard let exact = run.row(name, work)?.time else { continue }
        if Shown(time)?.says(exact) != true {
          problems.append("the terminal has \(time) for \(name) at \(size): \(exact)")
        }
      }
    }
    return problems
  }
}
