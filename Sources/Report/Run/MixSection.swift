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
        "OVERALL throughput and each kind of operation",
        [
          .words("cell"), .number("Throughput(ops/sec)"), .words("operation"), .number("Operations"),
          .number("50thPercentileLatency"), .number("99thPercentileLatency"),
        ], rows.flatMap(fields))
    ]
    section.guide = [
      "Throughput(ops/sec): all operations of a mix by the time that they took. Operations, 50thPercentileLatency, 99thPercentileLatency: those that were timed one by one. p99 needs 100 operations.",
      "Mixes are compared by their throughput: a median of reads and writes together would be that of the more frequent kind.",
    ]
    return section
  }

  private static func fields(_ row: SummaryRow) -> [[Table.Field]] {
    let throughput = row.operationsPerSecond.map {
      Figure(NumberFormat.rate($0), $0, of: .init(cell: row.cell.name, column: "ops_per_s"))
    }
    let head = [Table.Field("\(code: row.cell.name)"), Table.Field(throughput)]
    let kinds = row.kinds.filter { kind in KindLatency.known.contains { $0.kind == kind.kind } }
    guard !kinds.isEmpty else { return [head + Array(repeating: .unmeasured, count: 4)] }
    return kinds.map { kind in
      let count = Figure(
        Quantity.grouped(kind.operations), Double(kind.operations),
        of: .init(cell: row.cell.name, column: "\(kind.kind)_operations"))
      return head + [
        .init(RichText(YCSBTerms.name(kind))), .init(count), .init(.time(kind.p50, "\(kind.kind)_p50_ns", of: row)),
        .init(.time(kind.p99, "\(kind.kind)_p99_ns", of: row)),
      ]
    }
  }
}
