import StorageContract

/// The report section on peak memory. If the run measured workloads that read all records, the section shows only these
/// workloads.
enum MemorySection {
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
      section.charts = groups(input.model).compactMap { chart($0, input) }
    }
    section.tables = [
      Table(
        "Peak memory", of: rows,
        [
          .backend, .workload, .records, .number("anonymous") { Figure.total($0, \.peakAnonBytes) },
          .number("file-backed") { Figure.total($0, \.peakFileBytes) },
          .number("stored bytes") { Figure.total($0, \.storedBytes) }, .number("peak by stored bytes", share),
        ], isFolded: true)
    ]
    section.guide = [
      "Taken from the kernel's record of the highest resident size, begun anew after the store was opened and memory freed before was given back.",
      "Stored bytes are the logical size of all records: 24 bytes, name, group and payload of each.",
    ]
    return section
  }

  private static func share(_ row: SummaryRow) -> String? {
    guard let stored = row.cost?.storedBytes, stored > 0 else { return nil }
    let peak = (row.cost?.peakAnonBytes ?? 0) + (row.cost?.peakFileBytes ?? 0)
    return NumberFormat.ratio(Double(peak) / Double(stored))
  }

  private static func groups(_ model: ReportModel) -> [ComparisonGroup] {
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
      id: group.pattern.chartID("\(group.records)-memory"),
      title: "\(group.task): peak memory above the start",
      summary: rows.map { "\($0.name) \($0.text)" }.joined(separator: "; ") + ".",
      note: "Filled: the program's own memory. Outlined: pages of the store's file.", rows: rows,
      unit: { NumberFormat.tick(NumberFormat.bytes($0)) })
  }
}

/// A chart of horizontal bars for amounts such as memory. Each bar starts at zero and has one or two parts.
struct BarChart: Chart {
  struct Part: Sendable {
    var value: Double
    var hover: String
  }

  struct Row: Sendable {
    var name: String
    var mark: SeriesMark
    /// The parts of a bar in the chart, from the left. The first part is filled, the second only outlined.
    var parts: [Part]
    var text: String
  }

  var id: String
  var title: String
  var summary: String
  var note: String
  var rows: [Row]
  var unit: @Sendable (Double) -> String

  func draw(on canvas: inout Canvas) {
    canvas.note(note)
    let layout = RowLayout(names: rows.map(\.name), values: rows.map(\.text), below: canvas)
    let most = rows.map { $0.parts.reduce(0) { $0 + $1.value } }.max() ?? 0
    let scale = LinearScale(most: most, pixels: (layout.left, layout.right))
    for tick in scale.ticks {
      layout.tick(scale(tick), tick == 0 ? "0" : unit(tick), anchor: tick == 0 ? .start : .middle, on: &canvas)
    }
    for (index, row) in rows.enumerated() {
      let y = layout.row(index, row.text, on: &canvas)
      var from = scale(0)
      var sum = 0.0
      for (position, part) in row.parts.enumerated() {
        sum += part.value
        canvas.rect(
          x: from, y: y - 6, width: scale(sum) - from, height: 12,
          position == 0 ? "bar \(row.mark.css)" : "hollow \(row.mark.css)", hover: part.hover)
        from = scale(sum)
      }
    }
    canvas.height = layout.bottom + 22
  }
}
