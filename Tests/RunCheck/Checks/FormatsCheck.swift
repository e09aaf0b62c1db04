import Foundation

/// Checks that the page, the Markdown, the JSON and the terminal agree.
enum FormatsCheck: RunCheck {
  static let name = "formats"

  static func problems(_ run: FinishedRun) -> [String] {
    let said = run.page.lists.filter { $0.section == "verdict" && $0.title != "guide" }.flatMap(\.items)
    let markdown = Set(run.markdown.split(separator: "\n").filter { $0.hasPrefix("- ") }.map { plain($0.dropFirst(2)) })
    return missing(said, "report.md", leftOut: leftOut(run.markdown), markdown.contains) + json(run, "verdict", said)
      + answer(run, markdown) + rankings(run) + terminal(run)
  }

  /// Returns a fault for each sentence that an output does not have, except for the first ones that may be left out.
  private static func missing(
    _ said: [String], _ output: String, leftOut: Int = 0, _ has: (String) -> Bool
  ) -> [String] {
    said.map(plain).filter { !has($0) }.dropFirst(leftOut).map { "\(output) does not say \u{201C}\($0)\u{201D}" }
  }

  /// Returns a fault for each sentence that a list in the JSON does not have. Without the JSON there is none.
  private static func json(_ run: FinishedRun, _ list: String, _ said: [String]) -> [String] {
    let lines = Set((run.json[list] as? [String] ?? []).map(plain))
    return run.json.isEmpty ? [] : missing(said, "report.json", lines.contains)
  }

  /// Returns the number of lines that report.md leaves out to stay short, as it says itself.
  private static func leftOut(_ markdown: String) -> Int {
    markdown.matches(of: /(?m)^([\d,]+) more lines? (?:is|are) left out/)
      .reduce(0) { $0 + (Int($1.output.1.ungrouped) ?? 0) }
  }

  /// Checks that the sentences of the answer are the same in all formats.
  private static func answer(_ run: FinishedRun, _ markdown: Set<String>) -> [String] {
    let sentences = AnswerCheck.sentences(run)
    // The lines left out of the first list of report.md are those of the answer.
    let answer = run.markdown.prefix(
      upTo: run.markdown.ranges(of: "\n## ").dropFirst().first?.lowerBound ?? run.markdown.endIndex)
    return missing(sentences, "report.md", leftOut: leftOut(String(answer)), markdown.contains)
      + json(run, "answer", sentences)
  }

  /// Returns a text without marks and with single spaces.
  static func plain(_ text: some StringProtocol) -> String {
    [("&lt;", "<"), ("&gt;", ">"), ("**", ""), ("`", ""), ("\\", "")].reduce(String(text)) {
      $0.replacing($1.0, with: $1.1)
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

  /// Checks that the terminal has the answer and the verdicts of the page, and its table the times of the summary.
  private static func terminal(_ run: FinishedRun) -> [String] {
    guard !run.terminal.isEmpty else { return [] }
    let words = plain(run.terminal)
    let said = AnswerCheck.sentences(run).filter { !AnswerCheck.isCode($0) }
    var problems = missing(
      said + run.page.items("verdict", "Who is fastest").prefix(12), "the terminal", words.contains)
    let lines = run.terminal.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard let title = lines.firstIndex(where: { $0.hasPrefix("One small save into a store of N records") }),
      lines.count > title + 1
    else { return problems }
    let asked = lines[title].firstMatch(of: /every library set to (\w+)/).map { String($0.1) } ?? "shipped"
    // The first column has the names.
    let sizes = lines[title + 1].split(separator: " ").dropFirst().prefix { $0.first?.isNumber == true }
      .map(\.ungrouped)
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
