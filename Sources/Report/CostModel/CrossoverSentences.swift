import StorageContract

/// Where whole files lose to pages, in words and figures.
enum CrossoverSentences {
  /// For the signature workload: from where on each whole-file engine loses to SQLite, or where that was not run, to
  /// the first page engine of the plan.
  static func verdicts(_ model: ReportModel, _ measures: [Crossover.Measure] = Crossover.Measure.allCases) -> [RichText]
  {
    let saves = CostSeries.saves(in: model.series)
    var sentences: [RichText] = []
    for contest in Contest.all(in: saves) {
      for measure in measures {
        let crossovers = contest.crossovers(measure)
        guard let page = (crossovers.first { $0.page.backend == Spec(id: "sqlite") } ?? crossovers.first)?.page.backend
        else { continue }
        sentences += crossovers.filter { $0.page.backend == page }.map { sentence($0, contest) }
      }
    }
    return sentences + alone(saves)
  }

  /// `plist loses to sqlite (time, intact) from ~340 records (300-390) on, a file of 85 kB.`
  private static func sentence(_ crossover: Crossover, _ contest: Contest) -> RichText {
    let promise = [
      crossover.measure.rawValue,
      contest.durability == .shipped ? contest.level?.rawValue : contest.durability?.rawValue,
    ].compactMap { $0 }.joined(separator: ", ")
    return
      "\(strong: crossover.wholeFile.name) against \(crossover.page.name) (\(promise)): \(inFull(crossover))."
  }

  /// Where the two cross, with interval and file size.
  static func inFull(_ crossover: Crossover) -> String {
    switch crossover.place {
    case .at(let records, let interval):
      let range = interval.map {
        " (\(NumberFormat.sizes($0, smallest: crossover.smallest, largest: crossover.largest)))"
      }
      return "loses from \(NumberFormat.about(records)) records on\(range ?? "")\(file(crossover, records))"
    case .already(let below):
      let size = Double(crossover.smallest)
      let law = below.map {
        "; by the laws from \(NumberFormat.about($0)) records on\(file(crossover, $0)), outside of what was measured"
      }
      return "loses at \(Quantity.grouped(crossover.smallest)) records already\(file(crossover, size))\(law ?? "")"
    case .atTheLatest(let records):
      return
        "loses from \(Quantity.grouped(records)) records on at the latest\(file(crossover, Double(records))); at fewer the two cannot be told apart"
    case .notYet(let beyond):
      let law = beyond.map {
        "; by the laws it would from \(NumberFormat.about($0)) on\(file(crossover, $0)), outside of what was measured"
      }
      return "does not lose up to \(Quantity.grouped(crossover.largest)) records\(law ?? "")"
    case .open:
      return "cannot be told apart"
    }
  }

  /// The same in a field of a table: `~340 (300-390), 85 kB`.
  static func inShort(_ crossover: Crossover) -> String {
    switch crossover.place {
    case .at(let records, let interval):
      let range = interval.map {
        " (\(NumberFormat.sizes($0, smallest: crossover.smallest, largest: crossover.largest)))"
      }
      return NumberFormat.about(records) + (range ?? "") + file(crossover, records)
    case .already(let below):
      let law = below.map { ", by the laws \(NumberFormat.about($0))" }
      return "under \(Quantity.grouped(crossover.smallest))\(law ?? "")"
    case .atTheLatest(let records):
      return "at most \(Quantity.grouped(records))\(file(crossover, Double(records)))"
    case .notYet(let beyond):
      let law = beyond.map { ", by the laws \(NumberFormat.about($0))" }
      return "over \(Quantity.grouped(crossover.largest))\(law ?? "")"
    case .open:
      return "not told apart"
    }
  }

  /// `, a file of 85 kB`, where files were counted.
  private static func file(_ crossover: Crossover, _ records: Double) -> String {
    crossover.fileSize(at: records).map { ", a file of \(NumberFormat.bytes($0))" } ?? ""
  }

  /// Whole-file engines whose promise no page engine shares: they are compared with none.
  private static func alone(_ saves: [CostSeries]) -> [RichText] {
    Contest.all(in: saves).filter { $0.durability == .shipped }.flatMap { contest -> [RichText] in
      let ranked = contest.series.filter { !$0.isFloor && !$0.timed.isEmpty }
      guard let level = contest.level, !ranked.contains(where: { !$0.isWholeFile }) else { return [] }
      return ranked.map {
        "\(strong: $0.name) promises \(level.rawValue) as it ships, which no page engine of this run does: it is compared with none."
      }
    }
  }
}
