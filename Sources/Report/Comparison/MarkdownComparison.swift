import StorageContract

/// `comparison.md`: what a bot puts under a pull request. Verdict first, what is the same folded away.
public struct MarkdownComparison: ComparisonFormat {
  /// What stands after `-f`.
  public let id = "markdown"
  /// A file.
  public let destination = ComparisonDestination.files

  /// GitHub refuses comments of more characters.
  public static let limit = 65_000

  /// Creates the format.
  public init() {}

  /// `comparison.md`.
  public func files(_ comparison: Comparison) -> [(name: String, text: String)] {
    [("comparison.md", Self.text(comparison))]
  }

  /// The page.
  static func text(_ comparison: Comparison) -> String {
    var blocks: [MarkdownBlock] = []
    let opening =
      comparison.subject == .noise
      ? "The smallest change that is detectable on this machine, cell by cell."
      : ComparisonSentences.headline(comparison)
    var words = [opening]
    if comparison.subject != .rules, comparison.subject != .noise {
      words.append("Base: `\(comparison.base.name)`. Head: `\(comparison.head.name)`.")
    }
    if let unfit = ComparisonSentences.unfit(comparison) { words.append("**\(unfit)**") }
    words += [comparison.missing, ComparisonSentences.detectable(comparison)].compactMap { $0 }
    words += comparison.notes
    blocks.append(MarkdownBlock(heading: title(comparison), words: words))
    let isQuiet = { (judgement: Judgement) in
      judgement.verdict.result == .fine && judgement.verdict != .notAvailable
    }
    if let block = table("What is not as before", comparison, where: { !isQuiet($0) }) { blocks.append(block) }
    if var block = table("The rest", comparison, where: isQuiet) {
      let count = block.rows.count
      block.summary = "\(Quantity.grouped(count)) \(count == 1 ? "line" : "lines")"
      blocks.append(block)
    }
    if let method = ComparisonSentences.method(comparison) {
      blocks.append(MarkdownBlock(heading: "How times were judged", words: [method] + control(comparison)))
    }
    return MarkdownDocument(title: "storage-bench", blocks: blocks).text(limit: limit)
  }

  private static func title(_ comparison: Comparison) -> String {
    switch comparison.subject {
    case .costs: "Costs against what is committed"
    case .rules: "Rules"
    case .runs: "Two runs"
    case .pairs: "Side by side"
    case .noise: "Noise"
    }
  }

  private static func table(
    _ heading: String, _ comparison: Comparison, where isShown: (Judgement) -> Bool
  ) -> MarkdownBlock? {
    let shown = comparison.judgements.filter(isShown).enumerated().sorted { left, right in
      // The worst first; within a verdict, the order of the plan.
      left.element.verdict == right.element.verdict
        ? left.offset < right.offset
        : left.element.verdict.worse(right.element.verdict) == left.element.verdict
    }.map(\.element)
    guard !shown.isEmpty else { return nil }
    let isTimed = shown.contains { $0.time != nil }
    var columns = ["verdict", comparison.subject == .rules ? "rule" : "cell"]
    if isTimed { columns += ["base", "head", ComparisonSentences.changeTitle(comparison), "interval"] }
    let showsDetectable = shown.contains { ComparisonSentences.detectable($0) != nil }
    if showsDetectable { columns.append("smallest change detectable") }
    columns.append("details")
    let rows = shown.map { judgement -> [String] in
      var fields = [ComparisonSentences.mark(judgement.verdict), "`\(judgement.name)`"]
      if isTimed {
        fields +=
          judgement.time.map { time in
            [
              NumberFormat.time(time.base), NumberFormat.time(time.head), NumberFormat.change(time.ratio),
              ComparisonSentences.interval(time) ?? (time.pairs == 0 ? "advice" : "-"),
            ]
          } ?? ["-", "-", "-", "-"]
      }
      if showsDetectable { fields.append(ComparisonSentences.detectable(judgement) ?? "-") }
      return fields + [ComparisonSentences.countsAndNote(judgement)]
    }
    return MarkdownBlock(heading: heading, columns: columns, rows: rows)
  }

  private static func control(_ comparison: Comparison) -> [String] {
    guard let control = comparison.method?.control, !control.isEmpty else { return [] }
    let flagged = control.filter { $0.verdict == .slower || $0.verdict == .faster }
    let names = control.map { "`\($0.name)`" }.joined(separator: ", ")
    return [
      flagged.isEmpty
        ? "Compared with themselves at the same time, without a false alarm: \(names)."
        : "Compared with themselves at the same time: \(names); "
          + "\(flagged.map { "`\($0.name)`" }.joined(separator: ", ")) raised a false alarm."
    ]
  }
}
