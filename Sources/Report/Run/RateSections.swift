import StorageContract

/// The report section on mixed operations, in the terms of YCSB (Yahoo! Cloud Serving Benchmark).
enum MixSection {
  static func section(_ model: ReportModel) -> Section? {
    let rows = model.rows.filter { $0.isMix && $0.status == .ok && $0.processes > 0 }
    guard !rows.isEmpty else { return nil }
    var section = Section(id: "mix", title: "Mixed operations")
    section.lead = ["Throughput of all operations together, and the latencies of each kind, in YCSB's terms."]
    if rows.contains(where: { $0.cell.workload.options.names.contains("ycsb") }) {
      section.lead.append(
        RichText(
          "Unlike YCSB's driver: the key is the hash of the item's number as a 64-bit integer (its text, user..., is kept "
            + "in the name), and scans follow the order of the integers; the ten fields are one payload, which an update "
            + "stores whole with one of them changed; the parts of a READ-MODIFY-WRITE are not counted under READ and "
            + "UPDATE once more; one thread."))
    }
    section.tables = [
      Table(
        "OVERALL throughput and each kind of operation", of: rows.flatMap(kinds),
        [
          .of(\.row, .cell), .number("Throughput(ops/sec)") { Figure.rate($0.row) },
          .words("operation") { row in KindLatency.known.first { $0.kind == row.kind?.kind }?.name },
          .number("Operations") { row, kind in
            kind.map { Figure.operations($0.operations, "\($0.kind)_operations", of: row) }
          },
          .number("50thPercentileLatency") { row, kind in
            kind.flatMap { Figure.time($0.p50, "\($0.kind)_p50_ns", of: row) }
          },
          .number("99thPercentileLatency") { row, kind in
            kind.flatMap { Figure.time($0.p99, "\($0.kind)_p99_ns", of: row) }
          },
        ])
    ]
    section.guide = [
      "Throughput(ops/sec): all operations of a mix by the time that they took. Operations, 50thPercentileLatency, 99thPercentileLatency: those that were timed one by one. p99 needs 100 operations.",
      "Mixes are compared by their throughput: a median of reads and writes together would be that of the more frequent kind.",
    ]
    return section
  }

  private static func kinds(_ row: SummaryRow) -> [(row: SummaryRow, kind: KindLatency?)] {
    let kinds = row.kinds.filter { kind in KindLatency.known.contains { $0.kind == kind.kind } }
    return kinds.isEmpty ? [(row, nil)] : kinds.map { (row, $0) }
  }
}

/// The report section on saves at a fixed pace: one with each frame of a screen (every 16.7 ms).
enum PaceSection {
  static func section(_ model: ReportModel) -> Section? {
    let rows = model.rows.filter { $0.status == .ok && $0.overFrame != nil && $0.operations > 0 }
    guard !rows.isEmpty else { return nil }
    var section = Section(id: "pace", title: "Frames")
    section.lead = [
      "A save every 16.7 ms, as often as a screen draws: one that takes longer, counted from when it was due, holds up the next frame."
    ]
    section.tables = [
      Table(
        "Saves that took longer than a frame", of: rows,
        [
          .cell, .number("saves") { Figure.operations($0.operations, "operations", of: $0) },
          .number("over 16.7 ms") { share($0, $0.overFrame, "over_16_7ms") },
          .number("over 8.3 ms") { share($0, $0.overHalfFrame, "over_8_3ms") }, .p50, .p99, .max,
        ])
    ]
    section.guide = [
      "16.7 ms is a frame at 60 a second, 8.3 ms one at 120. A save that waits behind a slow one is late, too, and counts. Only times are taken at this pace; counts are of saves that follow one another."
    ]
    return section
  }

  private static func share(_ row: SummaryRow, _ count: Int?, _ column: String) -> Figure? {
    count.map {
      let share = Double($0) / Double(row.operations)
      return Figure(NumberFormat.percent(share), share, of: row, column, by: "operations")
    }
  }
}
