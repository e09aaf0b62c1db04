/// Something that must hold of every finished run.
protocol RunCheck {
  /// What, in a word or two.
  static var name: String { get }
  /// Returns the faults: one sentence for each.
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

  /// Returns the faults of a run: the check's name and one sentence each.
  static func problems(_ run: FinishedRun) -> [String] {
    all.flatMap { check in check.problems(run).map { "\(check.name): \($0)" } }
  }

  /// Returns the number of checked sentences and fields. A page of which nothing is understood proves nothing.
  static func looked(_ run: FinishedRun) -> Int {
    let page = run.page
    return page.lists.flatMap(\.items).count + page.tables.flatMap(\.rows).flatMap { $0 }.count
  }
}
