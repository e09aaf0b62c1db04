import StorageContract

/// From how many records on a whole-file store is slower, or writes more, than a database, in words and figures.
enum CrossoverSentences {
  /// For the signature workload: each whole-file engine against SQLite and what is about as fast as it, or where that
  /// was not run, against the first page engine of the plan.
  static func verdicts(_ model: ReportModel, _ measures: [Crossover.Measure] = Crossover.Measure.allCases) -> [RichText]
  {
    let contests = Contest.all(in: CostSeries.saves(in: model.series))
    return contests.flatMap { contest in
      measures.flatMap { measure -> [RichText] in
        let told = contest.told(measure)
        guard let page = told.first?.crossover.page.pattern else { return [] }
        return told.filter { $0.crossover.page.pattern == page }.map { crossover, pages in
          let promise = contest.promise.map { " (\($0))" } ?? ""
          return "\(strong: contest.name(crossover.wholeFile))\(promise): \(inFull(crossover, contest, pages))."
        }
      }
    } + alone(contests)
  }

  /// When the one becomes slower than the others, with interval and file size.
  static func inFull(_ crossover: Crossover, _ contest: Contest, _ pages: [CostSeries]) -> String {
    let rivals = Phrases.list(pages.map(contest.name), "or")
    let isTime = crossover.measure == .time
    let more = isTime ? "slower than \(rivals)" : "more bytes than \(rivals)"
    let less = isTime ? "faster than \(rivals)" : "fewer bytes than \(rivals)"
    let isVerb = isTime ? "is" : "writes"
    switch crossover.place {
    case .at(let records, let interval):
      let range = interval.map {
        " (\(NumberFormat.sizes($0, smallest: crossover.smallest, largest: crossover.largest)))"
      }
      return
        "\(isVerb) \(more) from \(NumberFormat.about(records)) records on\(range ?? "")\(file(crossover, records))"
    case .already(let below):
      let size = Double(crossover.smallest)
      return
        "\(isVerb) \(more) at \(Quantity.grouped(crossover.smallest)) records already\(file(crossover, size))\(outside(below, "from"))"
    case .atTheLatest(let records):
      return
        "\(isVerb) \(more) at \(Quantity.grouped(records)) records\(file(crossover, Double(records))); at fewer records inconclusive"
    case .notYet(let beyond):
      return "\(isVerb) \(less) at \(Quantity.grouped(crossover.largest)) records still\(outside(beyond, "up to"))"
    case .open:
      return isTime ? "whether it is \(more) is inconclusive" : "whether it writes \(more) is inconclusive"
    }
  }

  private static func outside(_ place: Crossover.Outside?, _ word: String) -> String {
    place.map {
      "; extrapolated: \(word) \(NumberFormat.about($0.records)) records (\(NumberFormat.places($0.interval)))"
    } ?? ""
  }

  /// The same in a field of a table: `~340 (300-390), a file of 85 kB`.
  static func inShort(_ crossover: Crossover) -> String {
    func outside(_ place: Crossover.Outside?) -> String {
      place.map { ", extrapolated \(NumberFormat.about($0.records)) (\(NumberFormat.places($0.interval)))" } ?? ""
    }
    switch crossover.place {
    case .at(let records, let interval):
      let range = interval.map {
        " (\(NumberFormat.sizes($0, smallest: crossover.smallest, largest: crossover.largest)))"
      }
      return NumberFormat.about(records) + (range ?? "") + file(crossover, records)
    case .already(let below): return "under \(Quantity.grouped(crossover.smallest))\(outside(below))"
    case .atTheLatest(let records):
      return "at most \(Quantity.grouped(records))\(file(crossover, Double(records)))"
    case .notYet(let beyond): return "over \(Quantity.grouped(crossover.largest))\(outside(beyond))"
    case .open: return "inconclusive"
    }
  }

  /// `, a file of 85 kB`, where files were counted.
  private static func file(_ crossover: Crossover, _ records: Double) -> String {
    crossover.fileSize(at: records).map { ", a file of \(NumberFormat.bytes($0))" } ?? ""
  }

  /// Whole-file engines that promise less than every page engine they could be compared with.
  private static func alone(_ contests: [Contest]) -> [RichText] {
    contests.filter { $0.durability == .shipped }.flatMap { contest -> [RichText] in
      let ranked = contest.series.filter { !$0.isFloor && !$0.timed.isEmpty }
      guard let level = contest.level, !ranked.contains(where: { !$0.isWholeFile }) else { return [] }
      return ranked.map {
        "\(strong: $0.name) (\(level.rawValue)): not compared, since no database of this run promises as little."
      }
    }
  }
}
