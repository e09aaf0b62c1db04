import StorageContract

/// The report section on mixed operations, in the terms of YCSB (Yahoo! Cloud Serving Benchmark).
enum MixSection {
  static func section(_ input: SectionInput) -> Section? {
    let rows = input.model.rows.filter { YCSBTerms.isMix($0) && $0.status == .ok && $0.processes > 0 }
    guard !rows.isEmpty else { return nil }
    var section = Section(id: "mix", title: "Mixed operations")
    section.lead = ["Throughput of all operations together, and the latencies of each kind, in YCSB's terms."]
    if rows.contains(where: YCSBTerms.isPublished) { section.lead.append(RichText(YCSBTerms.difference)) }
    section.tables = [
      Table(
        "OVERALL throughput and each kind of operation", of: rows.flatMap(kinds),
        [
          .of(\.row, .cell), .number("Throughput(ops/sec)") { Figure.rate($0.row) },
          .words("operation") { $0.kind.map(YCSBTerms.name) },
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
