import StorageContract
import StorageRunFiles
import StorageStatistics

/// The writer of `trials.csv`, with a line for each value that a trial (a measuring process) measured.
enum TrialsCSV {
  static let header =
    "backend,options,workload,records,record_bytes,threads,cache,aged,memory,durability,round,position,pass,metric,unit,value\n"

  /// Returns the CSV lines of a measuring process, a line for each measured value. An unsuccessful process has only its
  /// duration and status.
  static func lines(of trial: Trial) -> String {
    let cell = trial.cell
    let prefix = CSVText.line([
      cell.backend.id, cell.backend.options.description, cell.workload.description, String(cell.records),
      String(cell.recordBytes), String(cell.threads), cell.cache.rawValue, String(cell.aged),
      cell.memory.map(String.init) ?? "", cell.durability?.rawValue ?? "", trial.round.map(String.init) ?? "",
      trial.position.map(String.init) ?? "", trial.pass.rawValue,
    ])
    var text = ""
    text.reserveCapacity(25 * (prefix.utf8.count + 40))
    func add(_ metric: String, _ unit: String, _ value: String) {
      text += "\(prefix),\(metric),\(unit),\(value)\n"
    }
    func add(_ metric: String, _ unit: String, _ value: Int?) {
      if let value { add(metric, unit, String(value)) }
    }
    func add(_ metric: String, _ unit: String, _ value: Double?) {
      if let value { add(metric, unit, NumberFormat.plain(value)) }
    }
    add("wall", "s", trial.wall)
    guard trial.status == .ok else {
      add(trial.status.rawValue, "trial", 1)
      return text
    }
    if let timing = trial.timing {
      add("operations", "operation", timing.operations)
      add("elapsed", "ns", Int(timing.elapsed))
      add("cpu", "ns", Int(timing.cpu))
      add("min", "ns", timing.min.map(Int.init))
      add("max", "ns", timing.max.map(Int.init))
      add("p25", "ns", timing.p25)
      add("p50", "ns", timing.p50)
      add("batch", "operation", timing.batch)
      add("clock", "ns", timing.clock)
      add("resident", "share", timing.resident)
      add("checkpoints", "checkpoint", timing.checkpoints)
      add("rate", "1/s", timing.rate)
      add("halves", "ratio", timing.halves)
      if trial.lengthened == true { add("lengthened", "trial", 1) }
      add("waited", "ns", timing.interference?.waited.map(Int.init))
      add("stolen", "ns", (timing.interference?.stolen).map(Int.init))
      add("sync_before", "ns", timing.interference?.syncBefore.map(Int.init))
      add("sync_after", "ns", timing.interference?.syncAfter.map(Int.init))
      add("over_16_7ms", "operation", timing.overFrame)
      add("over_8_3ms", "operation", timing.overHalfFrame)
      for kind in timing.kinds ?? [] {
        let name = { (figure: String) in CSVText.field("\(kind.kind)_\(figure)") }
        add(name("operations"), "operation", kind.operations)
        add(name("max"), "ns", Int(kind.max))
        if let buckets = HistogramText(text: kind.histogram)?.buckets {
          var histogram = SparseHistogram()
          histogram.merge(buckets)
          add(name("p50"), "ns", histogram.percentile(0.5).map { Swift.min(Int($0), Int(kind.max)) })
        }
      }
    }
    for finding in trial.findings ?? [] { add(CSVText.field(finding.name), "", finding.value) }
    if let cost = trial.cost {
      add("counted_operations", "operation", cost.countedOperations)
      for measure in counts { add(measure.column, measure.unit.rawValue, cost[keyPath: measure.path]) }
    }
    return text
  }

  private static let counts = Measure.all.filter { $0.extent != .check }
}
