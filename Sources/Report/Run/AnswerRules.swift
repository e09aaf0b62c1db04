import StorageContract
import StorageRunFiles
import StorageStatistics

/// A generator of report sentences such as `A save fits into one frame (16.7 ms) up to ~1,900 records in plist`.
enum LimitRule {
  static func sentences(_ model: ReportModel) -> [RichText] {
    model.spoken.compactMap { workload, words in
      guard let limit = words.limit else { return nil }
      let series = model.series(workload).filter {
        !$0.isFloor && !$0.timed.isEmpty && ($0.durability == nil || $0.durability == .shipped)
      }
      let found = series.map { (name: $0.name, limit: SizeLimit(limit.time, of: $0), series: $0) }
        .filter { isShown($0.limit, $0.series, limit.time) }
      // If every backend keeps the time limit, there is nothing to report.
      guard found.contains(where: { $0.limit.at != .never }) else { return nil }
      let passed = found.compactMap { name, limit, _ -> String? in
        guard case .at(let records)? = limit.at else { return nil }
        return "\(NumberFormat.about(records)) in \(name)"
      }
      let up = Phrases.list(passed).replacing(" in ", with: " records in ", maxReplacements: 1)
      let kept = found.filter { $0.limit.at == .never }.grouped { [$0.limit.smallest, $0.limit.largest] }
      let always = kept.map { sizes, members in
        let range = "\(Quantity.grouped(sizes[0])) to \(Quantity.grouped(sizes[1]))"
        let size = sizes[0] == sizes[1] ? Quantity.grouped(sizes[0]) : "every size measured (\(range))"
        return "at \(size) in \(Phrases.list(members.map(\.name)))"
      }
      let over = found.filter { $0.limit.at == .before }.grouped { $0.limit.smallest }.map { smallest, members in
        "at \(Quantity.grouped(smallest)) in \(Phrases.list(members.map(\.name)))"
      }
      let within = (passed.isEmpty ? [] : ["up to \(up)"]) + always
      if within.isEmpty {
        return "\(strong: "\(words.opening) takes longer than \(limit.name)") \(over.joined(separator: "; "))."
      }
      let parts = within + over.map { "not \($0)" }
      return "\(strong: "\(words.opening) fits into \(limit.name)") \(parts.joined(separator: "; "))."
    }
  }

  private static func isShown(_ limit: SizeLimit, _ series: CostSeries, _ time: Double) -> Bool {
    switch limit.at {
    case .at: limit.interval != nil
    case .never: series.timed.allSatisfy { $0.p50Interval.map { $0.high <= time } ?? false }
    case .before: series.timed.first?.p50Interval.map { $0.low > time } ?? false
    case nil: false
    }
  }
}

/// A generator of the report sentence that compares the bytes of a save with and without a rewrite of the whole file.
enum RewriteRule {
  /// The factor from which a report mentions that a save of the whole file writes more bytes than a save of single
  /// pages.
  private static let least = 10.0

  static func sentences(_ model: ReportModel) -> [RichText] {
    let counted = CostSeries.saves(in: model.series).filter { !$0.isFloor && $0.durability == .shipped }
      .flatMap { series in
        series.rows.compactMap { row in
          Figure.count(row, \.bytesWrittenSettled).map { (series: series, size: row.cell.records, figure: $0) }
        }
      }
    let bySize = counted.grouped(by: \.size).filter { Set($0.members.map(\.series.isWholeFile)).count == 2 }
    guard let (size, members) = bySize.max(by: { $0.key < $1.key }) else { return [] }
    let bytes = members.sorted { $0.figure.value < $1.figure.value }
    let (whole, pages) = (bytes.filter(\.series.isWholeFile), bytes.filter { !$0.series.isWholeFile })
    guard let least = whole.first, let most = whole.last, let few = pages.first, let many = pages.last,
      many.figure.value > 0, least.figure.value / many.figure.value >= Self.least
    else { return [] }
    func range(_ low: Figure, _ high: Figure) -> RichText { low.text == high.text ? "\(low)" : "\(low) to \(high)" }
    return [
      "\(strong: "Changing one of \(Quantity.grouped(size)) records writes") \(range(least.figure, most.figure)) in \(Phrases.list(whole.map(\.series.name))), \(whole.count == 1 ? "which rewrites its" : "which rewrite their") whole file, and \(range(few.figure, many.figure)) in \(Phrases.list(pages.map(\.series.name)))."
    ]
  }
}

/// A generator of report sentences on settings that make an engine faster than its defaults, and at least as safe.
enum SettingRule {
  /// The minimum speed-up by a setting that a report mentions: 1.2 is 1.2 times as fast as with default settings.
  private static let least = 1.2

  private typealias Finding = (name: String, setting: String, more: String, factor: PairedRatio)

  static func sentences(_ model: ReportModel) -> [RichText] {
    for (workload, words) in model.spoken where words.kind == .save {
      let rows = model.largest(workload).filter(\.canWin)
      let shipped = rows.filter { $0.cell.durability == .shipped && $0.cell.backend.options.isEmpty }
      let found = shipped.compactMap { finding($0, among: rows) }
      guard !found.isEmpty else { continue }
      return found.grouped { [$0.setting, $0.more] }.map { _, members in
        let names = Phrases.list(members.map(\.name))
        let factors = Phrases.list(members.map { Phrases.factor($0.factor) })
        let isOne = members.count == 1
        return
          "\(strong: "\(names) \(members[0].setting)") \(isOne ? "is" : "are") \(factors) as fast at \(words.operation) as shipped, and \(isOne ? "is" : "are") \(members[0].more)."
      }
    }
    return []
  }

  private static func finding(_ row: SummaryRow, among rows: [SummaryRow]) -> Finding? {
    let better = rows.compactMap { other -> (row: SummaryRow, factor: PairedRatio)? in
      guard other.cell.backend.id == row.cell.backend.id, other.cell != row.cell, let level = other.level,
        let shipped = row.level,
        // At equal safety levels, a power cut can still lose one save or several, so the described losses must be
        // equal, too.
        level > shipped || level == shipped && other.afterPowerCut == row.afterPowerCut,
        let factor = row.slowdown(against: other, from: least)
      else { return nil }
      return (other, factor)
    }
    // The safest of the faster settings is reported or, of equally safe ones, the fastest.
    let safest = better.max {
      ($0.row.level ?? .volatile, $0.factor.ratio) < ($1.row.level ?? .volatile, $1.factor.ratio)
    }
    guard let best = safest else { return nil }
    let (old, new) = (Self.settings(row), Self.settings(best.row))
    let changed = new.filter { !old.contains($0) }.joined(separator: " ")
    let option = best.row.cell.backend.options.isEmpty ? nil : "with \(best.row.cell.backend.options)"
    let level = best.row.cell.durability.flatMap { $0 == .shipped ? nil : "set to \($0.rawValue)" }
    let setting = [option, level, changed.isEmpty ? nil : "(\(changed))"].compactMap { $0 }.joined(separator: " ")
    let isMore = (best.row.level ?? .volatile) > (row.level ?? .volatile)
    return (Phrases.name(row), setting, isMore ? "safer (\(best.row.afterPowerCut))" : "as safe", best.factor)
  }

  private static func settings(_ row: SummaryRow) -> [Substring] { row.settings.split { " ,;".contains($0) } }
}

/// A generator of a report sentence that compares backends with default settings: one backend is both safer and faster
/// than others.
enum PromiseRule {
  static func sentences(_ model: ReportModel) -> [RichText] {
    // Only the first workload of saves has a sentence, because a second sentence could contradict the first.
    guard let (workload, words) = model.spoken.first(where: { $0.words.kind == .save }) else { return [] }
    let rows = model.largest(workload).filter { $0.cell.durability == .shipped && $0.canWin }
    let found = rows.compactMap { row -> (row: SummaryRow, beaten: [(row: SummaryRow, factor: PairedRatio)])? in
      let beaten = rows.compactMap { other -> (row: SummaryRow, factor: PairedRatio)? in
        guard let level = row.level, let less = other.level, less < level else { return nil }
        return other.slowdown(against: row, rivals: max(2, rows.count)).map { (other, $0) }
      }
      return beaten.isEmpty ? nil : (row, beaten)
    }
    guard let best = found.max(by: { $0.beaten.count < $1.beaten.count }) else { return [] }
    let factors = best.beaten.map(\.factor.ratio)
    guard let least = factors.min(), let most = factors.max() else { return [] }
    let ends = [least, most].map(NumberFormat.ratio)
    let times = ends[0] == ends[1] ? ends[0] : "\(ends[0]) to \(ends[1])"
    let stakes = Phrases.list(
      best.beaten.map(\.row.afterPowerCut).unique.map { String($0.drop { $0 == "!" || $0 == " " }) }, "or")
    return [
      "\(strong: "\(Phrases.name(best.row)) as shipped is safer and faster"): after a power cut \(best.row.afterPowerCut); \(Phrases.list(best.beaten.map { Phrases.name($0.row) })) (\(stakes)) \(best.beaten.count == 1 ? "takes" : "take") \(times) as long for \(words.operation) at \(Quantity.grouped(best.row.cell.records)) records."
    ]
  }
}

/// A generator of report sentences on libraries that are slower than the engine on which they are built.
enum LibraryRule {
  /// The minimum slowdown by a library, such as GRDB, that a report mentions: 1.5 is 1.5 times the time of the
  /// library's engine.
  private static let least = 1.5

  static func sentences(_ model: ReportModel) -> [RichText] {
    (model.plan.backends ?? []).compactMap { library in
      guard let engine = library.runsOn else { return nil }
      let found = model.spoken.flatMap { workload, words in
        pairs(model.largest(workload), Spec(verbatim: library.name), Spec(id: engine)).map { (words: words, pair: $0) }
      }
      guard let most = found.max(by: { $0.pair.factor.ratio < $1.pair.factor.ratio }),
        let mine = Figure.time(most.pair.library), let theirs = Figure.time(most.pair.engine)
      else { return nil }
      let name = Phrases.name(most.pair.library)
      return
        "\(strong: "\(most.words.opening) through \(name)") takes \(Phrases.factor(most.pair.factor)) as long as in \(engine), the engine below it: \(mine) and \(theirs) at \(Quantity.grouped(most.pair.engine.cell.records)) records."
    }
  }

  private static func pairs(
    _ rows: [SummaryRow], _ library: Spec, _ engine: Spec
  ) -> [(library: SummaryRow, engine: SummaryRow, factor: PairedRatio)] {
    rows.filter { $0.cell.backend == library }.compactMap { row in
      let cell = row.cell.with { $0.backend = engine }
      guard let other = rows.first(where: { $0.cell == cell }), other.level == row.level, other.machine == row.machine
      else { return nil }
      return row.slowdown(against: other, from: least).map { (row, other, $0) }
    }
  }
}

/// A generator of report sentences on backends that read fast but launch slowly, such as those that load all records.
enum LaunchRule {
  /// The factor from which a backend's launch counts as slow, compared with another backend's launch.
  private static let least = 1.5
  /// The factor from which a backend's reads count as fast, compared with another backend's reads.
  private static let fast = 5.0
  private static let most = 2

  static func sentences(_ model: ReportModel) -> [RichText] {
    guard let read = model.spoken.first(where: { $0.words.kind == .read }),
      let launch = model.spoken.first(where: { $0.words.kind == .launch })
    else { return [] }
    let reads = model.largest(read.workload).filter(ComparisonGroup.isRanked)
    let launches = model.largest(launch.workload).filter(ComparisonGroup.isRanked)
    let found = reads.compactMap { row -> RichText? in
      guard
        let mine = launches.first(where: {
          $0.cell.backend == row.cell.backend && $0.cell.records == row.cell.records && $0.machine == row.machine
        })
      else { return nil }
      let rivals = launches.filter { other in
        guard other.cell.backend != row.cell.backend, other.fidelity == .native, other.machine == row.machine,
          let rival = reads.first(where: { $0.cell.backend == other.cell.backend })
        else { return false }
        return rival.slowdown(against: row, from: fast) != nil && mine.slowdown(against: other, from: least) != nil
      }
      guard let best = rivals.min(by: { ($0.typicalTime ?? 0) < ($1.typicalTime ?? 0) }),
        let rival = reads.first(where: { $0.cell.backend == best.cell.backend }), let fast = Figure.time(row),
        let slow = Figure.time(rival), let late = Figure.time(mine), let early = Figure.time(best)
      else { return nil }
      let isResident = row.settings.split(separator: " ").contains("resident=yes")
      let why = isResident ? ", a look-up in memory" : ""
      return
        "\(strong: "\(Phrases.name(row)) reads fast and launches slowly"): \(read.words.operation) takes \(fast)\(why), against \(slow) in \(Phrases.name(rival)), but \(launch.words.operation) \(late) against \(early)\(memory(mine, best)), at \(Quantity.grouped(row.cell.records)) records."
    }
    return Array(found.prefix(most))
  }

  private static func memory(_ one: SummaryRow, _ other: SummaryRow) -> RichText {
    guard let mine = Figure.total(one, \.peakAnonBytes), let theirs = Figure.total(other, \.peakAnonBytes),
      mine.value > theirs.value
    else { return "" }
    return " and \(mine) of memory against \(theirs)"
  }
}

extension SummaryRow {
  /// Returns the factor by which this result is slower than `other`. Nil if the factor is below `least`, or if this
  /// result is not clearly slower. `rivals` is the number of results from which `other` was chosen by its time.
  fileprivate func slowdown(against other: SummaryRow, from least: Double = 1, rivals: Int = 2) -> PairedRatio? {
    guard let comparison = RowComparison(base: other, head: self, rivals: rivals), comparison.verdict == .slower,
      comparison.ratio.ratio >= least
    else { return nil }
    return comparison.ratio
  }
}

extension WorkloadWords {
  /// The words for the operation at the start of a sentence, such as `An insertion`.
  fileprivate var opening: String { operation.prefix(1).uppercased() + operation.dropFirst() }
}

extension ReportModel {
  /// The workloads of the run, in the order of the plan, with words for use in sentences, such as `an insertion`.
  var spoken: [(workload: Spec, words: WorkloadWords)] {
    (plan.workloads ?? []).map { (Spec(verbatim: $0.name), $0.words) }
  }

  /// Returns the comparable results of a workload by number of records, one series for each backend and durability.
  func series(_ workload: Spec) -> [CostSeries] {
    let series = series.filter { $0.pattern.workload == workload }
    guard let first = series.first else { return [] }
    return series.filter { $0.pattern.conditions == first.pattern.conditions && $0.machine == first.machine }
  }

  /// Returns a workload's results at one store size: the size with the most successful results. A tie goes to the
  /// largest size.
  func largest(_ workload: Spec) -> [SummaryRow] {
    func rank(_ size: (key: Int, members: [SummaryRow])) -> (Int, Int) {
      (Set(size.members.filter { $0.status == .ok }.map(\.cell)).count, size.key)
    }
    let bySize = series(workload).flatMap(\.rows).grouped { $0.cell.records }
    return bySize.max { rank($0) < rank($1) }?.members ?? []
  }
}

/// A generator of the report sentence on everyday conditions that the run did not measure, such as little memory.
enum Unmeasured {
  static let title = "What this run does not say"

  private static let questions: [(words: String, command: String, isThere: @Sendable (ReportModel) -> Bool)] = [
    ("do after years of changes", "--aged 0,10", { $0.rows.contains { $0.cell.aged > 0 } }),
    ("do with less memory than they take", "--memory 64MiB -n 1M", { $0.rows.contains { $0.cell.memory != nil } }),
    ("share with another process", "-w two-processes", { !$0.rows.measured("two-processes").isEmpty }),
    ("keep a list on the screen up to date", "-w live-list", { !$0.rows.measured("live-list").isEmpty }),
    ("find words in texts", "-w find-text", { !$0.rows.measured("find-text").isEmpty }),
  ]

  static func sentence(_ model: ReportModel) -> RichText? {
    guard !model.plan.once else { return nil }
    let missing = questions.filter { !$0.isThere(model) }.map { question -> RichText in
      "\(question.words) (\(code: question.command))"
    }
    guard let last = missing.last else { return nil }
    let first = RichText.joined(Array(missing.dropLast()), ", ")
    let all: RichText = missing.count > 1 ? "\(first), or \(last)" : last
    return "How stores \(all): \(code: "\(model.plan.program) run") with these does."
  }
}
