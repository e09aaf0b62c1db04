/// Checks means and medians against the histograms of the trials: the sentences, the columns `mean` and `slowest`, and
/// `mean_ns` of the summary.
enum LatencyCheck: RunCheck {
  static let name = "latency"

  static func problems(_ run: FinishedRun) -> [String] {
    let items = run.page.items("latency", "Where the mean and the median differ")
    let told = items.map { (item: $0, said: Said($0), row: Said($0).flatMap { run.row($0.backend, $0.work.columns) }) }
    var problems = told.flatMap { item, said, row -> [String] in
      guard let said else { return ["not understood: \u{201C}\(item)\u{201D}"] }
      guard let row else { return ["no row is meant by \u{201C}\(item)\u{201D}"] }
      return check(run, said, row).map { "\($0), in \u{201C}\(item)\u{201D}" }
    }
    let factors = told.compactMap { $0.row.flatMap { Means(run, $0)?.factor } }
    if zip(factors, factors.dropFirst()).contains(where: { $0 < $1 * 0.999 }) {
      problems.append("the largest difference is not the first: \(factors)")
    }
    return problems + silence(run, told.compactMap(\.row)) + table(run) + run.rows.flatMap { summary(run, $0) }
  }

  /// The parts of a sentence.
  private struct Said {
    var backend: String
    var work: Subject
    var mean: Substring
    var median: Substring
    var slowest: Substring?
    var time: Substring?
    var syncs: Substring?
    var others: [String]

    init?(_ item: String) {
      let pattern =
        /(\S+) \((.+?)\): the mean is (.+?), the median (.+?)(?: of batches|; the slowest ([\d.]+) % of the operations take ([\d.]+) % of the time(?:, about as many as sync \((\S+) syncs per operation\))?)?\.(?: The same holds at (.+) records\.)?/
      guard let match = item.wholeMatch(of: pattern), let work = Subject(String(match.2)) else { return nil }
      (backend, self.work) = (String(match.1), work)
      (mean, median) = (match.3, match.4)
      (slowest, time, syncs) = (match.5, match.6, match.7)
      others = match.8.map(Series.names) ?? []
    }
  }

  private static func check(_ run: FinishedRun, _ said: Said, _ row: FinishedRun.Row) -> [String] {
    guard let means = Means(run, row), let median = row.number("p50_ns") else { return ["it was not timed"] }
    var problems: [String] = []
    if !means.differs(by: 1.0999) { problems.append("the mean \(means.mean) does not differ from \(median)") }
    if Shown(said.mean)?.says(means.mean) != true { problems.append("the mean is \(means.mean)") }
    if Shown(said.median)?.says(median) != true { problems.append("the median is \(median)") }
    if let slowest = said.slowest, let time = said.time { problems += means.problems(slowest: slowest, time: time) }
    if let syncs = said.syncs {
      let counted = row.perOperation("syncs") ?? 0
      let share = (Double(said.slowest ?? "") ?? 0) / 100
      if counted <= 0 || counted >= 1 || !(0.49...2.01).contains(share / counted) {
        problems.append("\(counted) syncs an operation do not explain \(share)")
      }
      if Shown(syncs).map({ abs($0.value - counted) <= 0.0051 }) == false {
        problems.append("\(counted) syncs an operation")
      }
    }
    for size in said.others {
      var other = row
      other.fields["records"] = size.ungrouped
      let found = run.rows.first { $0.cell == other.cell }
      if found.flatMap({ Means(run, $0) })?.differs(by: 1.0999) != true {
        problems.append("it does not hold at \(size) records")
      }
    }
    return problems
  }

  /// Returns the rows without a sentence that should have one: each backend and work once, the first eight.
  private static func silence(_ run: FinishedRun, _ told: [FinishedRun.Row]) -> [String] {
    func kind(_ row: FinishedRun.Row) -> [String] {
      ["backend", "options", "workload", "record_bytes", "threads", "cache", "durability"].map(row.text)
    }
    let kinds = Set(told.map(kind))
    guard run.page.tables.contains(where: { $0.section == "latency" }), told.count < 8 else { return [] }
    return run.rows.filter { Means(run, $0)?.differs(by: 1.1001) == true && !kinds.contains(kind($0)) }.map {
      "\($0.cell): its mean differs from its median, and nothing says so"
    }
  }

  /// Checks the columns `mean` and `slowest` of the table, which is folded and therefore has no caption.
  private static func table(_ run: FinishedRun) -> [String] {
    run.page.tables.filter { $0.section == "latency" && $0.columns.contains("slowest") }.flatMap { table in
      table.rows.flatMap { fields -> [String] in
        let texts = table.texts(fields)
        guard let cell = texts["cell"], let row = run.rows.first(where: { $0.cell == cell }),
          let means = Means(run, row), let slowest = texts["slowest"]
        else { return [] }
        var problems: [String] = []
        if texts["mean"].flatMap({ Shown($0) })?.says(means.mean) != true {
          problems.append("\(cell): the mean is \(means.mean), not \(texts["mean"] ?? "told")")
        }
        if let said = slowest.wholeMatch(of: /([\d.]+) % take ([\d.]+) %/) {
          if !means.differs(by: 1.0999) { problems.append("\(cell): the mean does not differ from the median") }
          problems += means.problems(slowest: said.1, time: said.2).map { "\(cell): \($0)" }
        } else if means.differs(by: 1.1001), !means.isBatched {
          problems.append("\(cell): its mean differs from its median, and its line does not say so")
        }
        return problems
      }
    }
  }

  private static func summary(_ run: FinishedRun, _ row: FinishedRun.Row) -> [String] {
    guard row.text("status") == "ok", let mean = row.number("mean_ns"), let means = Means(run, row) else { return [] }
    return abs(mean - means.mean) <= max(0.001, means.mean * 1e-6)
      ? [] : ["\(row.cell): mean_ns is \(mean), by its trials \(means.mean)"]
  }
}

/// The mean of a row and its slowest operations, computed from its trials.
private struct Means {
  var mean = 0.0
  var isBatched: Bool
  /// The ratio of the mean to the median of the processes' medians.
  var factor: Double

  private var processes: [(mean: Double, median: Double)] = []
  private var samples = 0.0
  private var isLate: Bool
  /// The operations, the slowest first. Each process has the weight 1.
  private var operations: [(value: Double, weight: Double)] = []

  /// Reads the trials of a row. Nil if it was not timed, or is a mix, which has no median.
  init?(_ run: FinishedRun, _ row: FinishedRun.Row) {
    guard row.isTimed, let median = row.number("p50_ns"), median > 0, let trials = run.trials[row.cell],
      !trials.isEmpty
    else { return nil }
    isBatched = trials.values.contains { $0.batch != nil }
    isLate = row.text("states").split(separator: " ").contains("fell-behind")
    var count = 0.0
    var weights: [Double: Double] = [:]
    for trial in trials.values {
      let histogram = trial.latencies
      let all = histogram.reduce(0) { $0 + $1.count }
      // Threads overlap in the elapsed time, and a schedule has pauses.
      let isSum = row.text("threads") == "1" && !trial.isScheduled
      guard isSum || all > 0 else { return nil }
      let mean = isSum ? trial.mean : histogram.reduce(0) { $0 + $1.value * $1.count } / all
      self.mean += mean * trial.operations
      count += trial.operations
      samples += (trial.operations / (trial.batch ?? 1)).rounded(.down)
      processes.append((mean, trial.typical))
      for (value, count) in histogram { weights[value, default: 0] += count / all }
    }
    mean /= count
    factor = mean / median
    operations = weights.map { ($0.key, $0.value) }.sorted { $0.0 > $1.0 }
  }

  /// Returns whether the mean is at least this many times the median, also in three of four processes.
  func differs(by least: Double) -> Bool {
    let count = processes.count { $0.mean >= least * $0.median }
    return !isLate && factor >= least && samples >= 100 && processes.count > 1 && 4 * count >= 3 * processes.count
  }

  /// Returns the share of the slowest operations in the total time, and in the time beyond the median.
  private func slowest(_ share: Double) -> (time: Double, excess: Double) {
    let count = operations.reduce(0) { $0 + $1.weight }
    var (seen, median) = (0.0, 0.0)
    for operation in operations where seen < count / 2 {
      seen += operation.weight
      median = operation.value
    }
    func sum(_ number: Double) -> Double {
      var (left, sum) = (number, 0.0)
      for operation in operations {
        sum += min(left, operation.weight) * operation.value
        left -= min(left, operation.weight)
      }
      return sum
    }
    let (slow, all) = (sum(share * count), sum(count))
    return (slow / all, (slow - share * count * median) / (all - count * median))
  }

  /// Returns the faults of a share of the operations and of their share of the time, both in percent.
  func problems(slowest text: Substring, time: Substring) -> [String] {
    let steps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50]
    guard let share = Double(text), let index = steps.firstIndex(of: share), let said = Double(time) else {
      return ["\(text) % is no round share"]
    }
    var problems: [String] = []
    let found = slowest(share / 100)
    if abs(said - found.time * 100) > (time.contains(".") ? 0.06 : 0.51) {
      problems.append("the slowest \(text) % take \(found.time * 100) % of the time")
    }
    if found.excess < 0.74 { problems.append("\(found.excess) of the difference is due to the slowest \(text) %") }
    if index > 0, slowest(steps[index - 1] / 100).excess > 0.76 { problems.append("\(steps[index - 1]) % are enough") }
    return problems
  }
}
