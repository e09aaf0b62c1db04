import StorageContract

/// What keeping everything in memory costs, against walking through it.
enum MemorySection: SectionBuilder {
  static func section(_ input: SectionInput) -> Section? {
    let measured = input.model.rows.filter { $0.cost?.peakAnonBytes != nil || $0.cost?.peakFileBytes != nil }
    let loading = measured.filter { ["load-all", "iterate"].contains($0.cell.workload.id) }
    let rows = loading.isEmpty ? measured : loading
    guard !rows.isEmpty else { return nil }
    var section = Section(id: "memory", title: "Memory")
    section.lead = [
      "The peak above the start. File-backed memory is the store's own file, which the system may take back at any time; anonymous memory is the program's."
    ]
    if !loading.isEmpty {
      section.charts = groups(input.model, loading).compactMap { chart($0, input) }
    }
    section.tables = [
      Table(
        "Peak memory",
        [
          .words("backend"), .words("workload"), .number("records"), .number("anonymous"), .number("file-backed"),
          .number("stored bytes"), .number("peak by stored bytes"),
        ],
        rows.map { row in
          [
            .init(RichText(Phrases.name(row))), .init(RichText(row.task)),
            .init(RichText(Quantity.grouped(row.cell.records))),
            .init(.bytes(row, \.peakAnonBytes, "peak_anon_bytes")),
            .init(.bytes(row, \.peakFileBytes, "peak_file_bytes")),
            .init(.bytes(row, \.storedBytes, "stored_bytes")), share(row),
          ]
        }, isFolded: rows.count > SectionInput.longTable)
    ]
    section.guide = [
      "Taken from the kernel's record of the highest resident size, begun anew after the store was opened and memory freed before was given back.",
      "Stored bytes are the logical size of all records: 24 bytes, name, group and payload of each.",
    ]
    return section
  }

  /// The two peaks together by the stored bytes.
  private static func share(_ row: SummaryRow) -> Table.Field {
    guard let stored = row.cost?.storedBytes, stored > 0 else { return .unmeasured }
    let peak = (row.cost?.peakAnonBytes ?? 0) + (row.cost?.peakFileBytes ?? 0)
    return .init(RichText(NumberFormat.ratio(Double(peak) / Double(stored))))
  }

  /// The groups of load-all and iterate at their largest N.
  private static func groups(_ model: ReportModel, _ rows: [SummaryRow]) -> [ComparisonGroup] {
    let workloads = model.groups.filter { ["load-all", "iterate"].contains($0.workload.id) }
    return workloads.filter { group in
      !workloads.contains { $0.workload == group.workload && $0.records > group.records }
    }
  }

  private static func chart(_ group: ComparisonGroup, _ input: SectionInput) -> BarChart? {
    let rows = group.rows.compactMap { row -> BarChart.Row? in
      guard let cost = row.cost, cost.peakAnonBytes != nil || cost.peakFileBytes != nil else { return nil }
      let (anonymous, file) = (Double(cost.peakAnonBytes ?? 0), Double(cost.peakFileBytes ?? 0))
      let name = Phrases.name(row)
      return BarChart.Row(
        name: name, mark: input.mark(row.cell.backend),
        parts: [
          .init(value: anonymous, hover: "\(name): \(NumberFormat.bytes(anonymous)) anonymous"),
          .init(value: file, hover: "\(name): \(NumberFormat.bytes(file)) file-backed"),
        ], text: NumberFormat.bytes(anonymous + file))
    }
    guard rows.count > 1 else { return nil }
    return BarChart(
      id: GrowthCharts.id(group.pattern, "\(group.records)-memory"),
      title: "\(group.task): peak memory above the start",
      summary: rows.map { "\($0.name) \($0.text)" }.joined(separator: "; ") + ".",
      note: "Filled: the program's own memory. Outlined: pages of the store's file.", rows: rows,
      unit: { NumberFormat.tick(NumberFormat.bytes($0)) })
  }
}
