/// Checks from which size a whole-file store is slower than a database, against the trials at the measured sizes.
enum CrossoverCheck: RunCheck {
  static let name = "crossovers"

  static func problems(_ run: FinishedRun) -> [String] {
    problems(of: run.page.items("verdict", "When a whole-file store")) { item in
      item.contains(": not compared: every") ? [] : problems(run, item)
    }
  }

  /// Returns the faults of a sentence. Nil if it is another kind of sentence.
  static func problems(_ run: FinishedRun, _ item: String) -> [String]? {
    guard let match = item.firstMatch(of: /^(\S+?)(?: \((\w+)\))?: ((?:whether it )?(?:is|writes) .+)\.$/) else {
      return nil
    }
    return check(run, String(match.1), match.2.map(String.init), String(match.3))
  }

  private static func check(_ run: FinishedRun, _ name: String, _ level: String?, _ text: String) -> [String] {
    guard
      let said = text.firstMatch(
        of:
          /^(?:whether it )?(is|writes) (slower|faster|more bytes|fewer bytes) than ((?:\S+, )*\S+(?: or \S+)?)(?: from (~[\d,]+) records on.*| at ([\d,]+) records( already| still|, a file.*|;.*)?.*| is inconclusive(?:, a difference of .* would show)?)$/
      )
    else { return ["not understood: \(text)"] }
    let rival = String(said.3.split { ", ".contains($0) }[0])
    let least = level.flatMap(MatrixCheck.levels.firstIndex) ?? 0
    // As shipped, or at the required level, whichever has rows of both backends at the level.
    for asked in ["shipped", level ?? ""] {
      let (mine, theirs) = (Series.rows(run, name, asked), Series.rows(run, rival, asked))
      let rivals = theirs.isEmpty ? Series.rows(run, rival, "shipped") : theirs
      guard !rivals.isEmpty, mine.contains(where: { $0.safety >= least }) else { continue }
      let sizes = sizes(run, mine, rivals, isTime: said.1 == "is")
      let problems = judge(said.2, said.4, said.5, text, sizes)
      if problems.isEmpty || asked == (level ?? "") || Series.rows(run, name, level ?? "").isEmpty { return problems }
    }
    return ["no rows of \(name) and \(rival)"]
  }

  /// Returns for each common size whether the whole-file store is slower, faster, or neither was shown.
  private static func sizes(
    _ run: FinishedRun, _ mine: [FinishedRun.Row], _ theirs: [FinishedRun.Row], isTime: Bool
  ) -> [(records: Double, loses: Bool, wins: Bool)] {
    mine.compactMap { row in
      guard let records = row.number("records"),
        let other = theirs.first(where: { $0.text("records") == row.text("records") })
      else { return nil }
      if isTime {
        guard let pairs = Pairs(run.trials[other.cell], run.trials[row.cell]) else { return nil }
        return (records, pairs.isSlower, pairs.isFaster)
      }
      guard let one = row.perOperation("bytes_written_settled"), let two = other.perOperation("bytes_written_settled")
      else { return nil }
      return (records, one > two, one < two)
    }
  }

  private static func judge(
    _ verb: Substring, _ from: Substring?, _ at: Substring?, _ text: String,
    _ sizes: [(records: Double, loses: Bool, wins: Bool)]
  ) -> [String] {
    let isLoss = verb == "slower" || verb == "more bytes"
    if let from, let crossing = Shown(from) {
      let (low, high) = (crossing.value - crossing.slack, crossing.value + crossing.slack)
      let wrong = sizes.filter { ($0.records > high && $0.wins) || ($0.records < low && $0.loses) }
      return wrong.map { "the trials at \($0.records) say otherwise" }
    }
    if let at, let records = Double(at.ungrouped) {
      guard let size = sizes.first(where: { $0.records == records }) else {
        return ["\(records) was not measured by both"]
      }
      if isLoss ? !size.loses : !size.wins { return ["the trials at \(records) do not show it"] }
      if text.contains("already"), sizes.contains(where: { $0.records < records }) {
        return ["there are smaller sizes than \(records)"]
      }
      if text.contains("inconclusive"), sizes.contains(where: { $0.records < records && $0.wins }) {
        return ["at fewer records it was shown to be faster"]
      }
      if text.contains("extrapolated: "), let match = text.firstMatch(of: /extrapolated: [a-z ]+(~[\d,]+)/),
        let shown = Shown(match.1),
        isLoss ? shown.value - shown.slack > records : shown.value + shown.slack < records
      {
        return ["extrapolated into what was measured"]
      }
    }
    return []
  }
}
