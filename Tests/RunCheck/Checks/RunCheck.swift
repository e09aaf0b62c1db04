/// Something that must hold of every finished run.
protocol RunCheck {
  /// What, in a word or two.
  static var name: String { get }
  /// What does not hold: a sentence for each place.
  static func problems(_ run: FinishedRun) -> [String]
}

/// All checks. To add one, add its line.
enum RunChecks {
  static var all: [any RunCheck.Type] {
    [
      AnswerCheck.self, FigureCheck.self, MatrixCheck.self, VerdictCheck.self, FormatsCheck.self, GrowthCheck.self,
      LimitCheck.self, CrossoverCheck.self, LatencyCheck.self, CommandCheck.self, PageDataCheck.self,
    ]
  }

  /// What does not hold of a run: the check's name and a sentence each.
  static func problems(_ run: FinishedRun) -> [String] {
    all.flatMap { check in check.problems(run).map { "\(check.name): \($0)" } }
  }

  /// How many sentences and fields were looked at; a page of which nothing is understood proves nothing.
  static func looked(_ run: FinishedRun) -> Int {
    let page = run.page
    return page.lists.flatMap(\.items).count + page.tables.flatMap(\.rows).flatMap { $0 }.count
  }
}
