/// A condition that every finished run must meet.
protocol RunCheck {
  /// The name, one or two words.
  static var name: String { get }
  /// Returns the faults, one sentence for each.
  static func problems(_ run: FinishedRun) -> [String]
}

extension RunCheck {
  /// Returns the faults of sentences, each with its sentence. A sentence without a list of faults is not understood.
  static func problems(of sentences: [String], _ check: (String) -> [String]?) -> [String] {
    sentences.flatMap { sentence in
      (check(sentence) ?? ["not understood"]).map { "\($0), in \u{201C}\(sentence)\u{201D}" }
    }
  }
}

/// All checks. To add one, add its line.
enum RunChecks {
  static var all: [any RunCheck.Type] {
    [
      AnswerCheck.self, FigureCheck.self, MatrixCheck.self, VerdictCheck.self, FormatsCheck.self, GrowthCheck.self,
      LimitCheck.self, CrossoverCheck.self, LatencyCheck.self, CommandCheck.self, PageDataCheck.self,
    ]
  }

  /// Returns the faults of a run, one sentence for each, after the name of the check.
  static func problems(_ run: FinishedRun) -> [String] {
    all.flatMap { check in check.problems(run).map { "\(check.name): \($0)" } }
  }

  /// Returns the number of checked sentences and fields. If nothing on a page is understood, the checks prove nothing.
  static func looked(_ run: FinishedRun) -> Int {
    let page = run.page
    return page.lists.flatMap(\.items).count + page.tables.flatMap(\.rows).flatMap { $0 }.count
  }
}
