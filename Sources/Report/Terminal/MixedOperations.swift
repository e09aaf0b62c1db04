import StorageContract

/// Mixes in the terms of YCSB's own output: a line for each kind of operation.
enum MixedOperations {
  /// The title, the table and in what it differs; nothing where the run has no mix.
  static func lines(_ model: ReportModel, width: Int) -> [String] {
    let mixes = model.rows.filter(YCSBTerms.isMix)
    guard !mixes.isEmpty else { return [] }
    let table = TerminalTable(
      columns: [
        ("workload", .left), ("backend", .left), ("Throughput(ops/sec)", .right), ("operation", .left),
        ("Operations", .right), ("p50", .right), ("p99", .right),
      ], rows: mixes.flatMap(rows), headerWidth: 20)
    var lines = ["Mixed operations, in YCSB's terms"] + table.lines(width: width)
    if mixes.contains(where: YCSBTerms.isPublished) {
      lines += TerminalTable.filled(YCSBTerms.difference.split(separator: " ").map(String.init), width: width)
    }
    return lines
  }

  private static func rows(_ row: SummaryRow) -> [[String]] {
    var workload = "\(row.cell.workload) \(NumberFormat.short(row.cell.records))"
    if let durability = row.cell.durability, durability != .shipped { workload += " \(durability.rawValue)" }
    let head = [workload, Phrases.name(row)]
    if let refusal = Phrases.refusal(row) { return [head + [refusal, "-", "-", "-", "-"]] }
    let throughput = row.operationsPerSecond.map(NumberFormat.rate) ?? "-"
    guard !row.kinds.isEmpty else { return [head + [throughput, "-", "-", "-", "-"]] }
    return row.kinds.enumerated().map { place, kind in
      (place == 0 ? head + [throughput] : ["", "", ""]) + [
        YCSBTerms.name(kind), Quantity.grouped(kind.operations), NumberFormat.time(kind.p50),
        kind.p99.map(NumberFormat.time) ?? "-",
      ]
    }
  }
}
