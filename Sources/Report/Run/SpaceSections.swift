import StorageContract

/// The report section on the disk space that the same records take in each backend.
enum DiskSection {
  /// The workloads that do not change the records. The first of them that was measured provides the file sizes.
  private static let reading = ["load-all", "iterate", "launch", "read-one"]

  static func section(_ model: ReportModel) -> Section? {
    let rows = rows(model)
    guard rows.count > 1, let first = rows.first else { return nil }
    let tools = Dictionary(
      (model.plan.backends ?? []).compactMap { backend in backend.opensWith.map { (backend.name, $0) } },
      uniquingKeysWith: { first, _ in first })
    var section = Section(id: "disk", title: "The same records in all of them")
    section.tables = [
      Table(
        "The store\u{2019}s files with \(Quantity.grouped(first.cell.records)) records", of: rows,
        [
          .backend, .number("files") { Figure.total($0, \.fileBytes) },
          .number("by stored bytes") { Figure.quotient($0, \.fileBytes, by: \.storedBytes) },
          .number("taken on the disk") { Figure.total($0, \.fileBytesAllocated) },
          .number("files and directories") { Figure.total($0, \.inodes) },
          // Plans of older versions do not list the programs that open a backend's files, so the field is `-`.
          .words("other tools") { tools[$0.cell.backend.description] ?? (tools.isEmpty ? "" : "none") },
        ], isFolded: rows.count > Table.long)
    ]
    section.guide = [
      "After the checkpoint and close of \(code: "\(first.task)"), which changes nothing.",
      "Stored bytes are the logical size of all records: 24 bytes, name, group and payload of each. Other tools: programs of other authors that open the files. Where there is none, only the engine\u{2019}s library can read the records.",
    ]
    return section
  }

  /// Returns one result for each backend that stores files, of one number of records, the smallest files first.
  private static func rows(_ model: ReportModel) -> [SummaryRow] {
    let stored = model.rows.filter { ($0.cost?.fileBytes ?? 0) > 0 && ($0.cost?.storedBytes ?? 0) > 0 }
    for id in reading {
      let groups = stored.filter { $0.cell.workload == Spec(id: id) }
        .grouped { [$0.cell.records, $0.cell.recordBytes, $0.cell.aged] }
        .map { size, rows in (size: size, rows: rows.grouped(by: \.cell.backend).compactMap(\.members.first)) }
      let most = groups.max { ($0.rows.count, $0.size[0], -$0.size[2]) < ($1.rows.count, $1.size[0], -$1.size[2]) }
      if let most { return most.rows.sorted { ($0.cost?.fileBytes ?? 0) < ($1.cost?.fileBytes ?? 0) } }
    }
    return []
  }
}

/// The report section on peak memory: of workloads that read all records or, if there are none, of all workloads.
enum MemorySection {
  static func section(_ model: ReportModel) -> Section? {
    let measured = model.rows.filter { $0.cost?.peakAnonBytes != nil || $0.cost?.peakFileBytes != nil }
    func isLoading(_ workload: Spec) -> Bool { ["load-all", "iterate"].contains(workload.id) }
    let loading = measured.filter { isLoading($0.cell.workload) }
    let rows = loading.isEmpty ? measured : loading
    guard !rows.isEmpty else { return nil }
    var section = Section(id: "memory", title: "Memory")
    section.lead = [
      "The peak above the start. File-backed memory is the store's own file, which the system may take back at any time; anonymous memory is the program's."
    ]
    let groups = model.groups.filter { isLoading($0.workload) }
    let largest = groups.filter { group in
      !groups.contains { $0.workload == group.workload && $0.records > group.records }
    }
    section.charts = largest.compactMap { chart($0, model) }
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

  private static func chart(_ group: ComparisonGroup, _ model: ReportModel) -> MemoryChart? {
    let rows = group.rows.compactMap { row -> MemoryChart.Row? in
      guard let cost = row.cost, cost.peakAnonBytes != nil || cost.peakFileBytes != nil else { return nil }
      let (anonymous, file) = (Double(cost.peakAnonBytes ?? 0), Double(cost.peakFileBytes ?? 0))
      return .init(name: Phrases.name(row), mark: model.mark(row.cell.backend), anonymous: anonymous, file: file)
    }
    guard rows.count > 1 else { return nil }
    return MemoryChart(
      id: group.pattern.chartID("\(group.records)-memory"), title: "\(group.task): peak memory above the start",
      rows: rows)
  }
}

/// A chart of peak memory. Each backend has a bar with two parts: the program's memory and pages of the store's file.
struct MemoryChart: Chart {
  struct Row: Sendable {
    var name: String
    var mark: SeriesMark
    /// The peak of anonymous and of file-backed memory, in bytes.
    var anonymous, file: Double
    var sum: Double { anonymous + file }
  }

  var id: String
  var title: String
  var rows: [Row]

  var summary: String { rows.map { "\($0.name) \(NumberFormat.bytes($0.sum))" }.joined(separator: "; ") + "." }

  func draw(on canvas: inout Canvas) {
    canvas.note("Filled: the program's own memory. Outlined: pages of the store's file.")
    let values = rows.map { NumberFormat.bytes($0.sum) }
    let layout = RowLayout(names: rows.map(\.name), values: values, below: canvas)
    let scale = LinearScale(most: rows.map(\.sum).max() ?? 0, pixels: (layout.left, layout.right))
    for tick in scale.ticks {
      let label = tick == 0 ? "0" : NumberFormat.tick(NumberFormat.bytes(tick))
      layout.tick(scale(tick), label, anchor: tick == 0 ? .start : .middle, on: &canvas)
    }
    for (index, row) in rows.enumerated() {
      let y = layout.row(index, values[index], on: &canvas)
      func part(from: Double, to: Double, _ css: String, _ what: String) {
        canvas.rect(
          x: scale(from), y: y - 6, width: scale(to) - scale(from), height: 12, "\(css) \(row.mark.css)",
          hover: "\(row.name): \(NumberFormat.bytes(to - from)) \(what)")
      }
      part(from: 0, to: row.anonymous, "bar", "anonymous")
      part(from: row.anonymous, to: row.sum, "hollow", "file-backed")
    }
    canvas.height = layout.bottom + 22
  }
}
