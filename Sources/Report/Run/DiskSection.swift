import StorageContract

/// The report section on the disk space that the same records take in each backend.
enum DiskSection {
  /// The workloads that do not change the records. The first of them that was measured provides the file sizes.
  private static let reading = ["load-all", "iterate", "launch", "read-one"]

  static func section(_ input: SectionInput) -> Section? {
    let rows = rows(input.model)
    guard rows.count > 1, let first = rows.first else { return nil }
    let tools = Dictionary(
      (input.model.plan.backends ?? []).compactMap { backend in backend.opensWith.map { (backend.name, $0) } },
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
        ], isFolded: rows.count > SectionInput.longTable)
    ]
    section.guide = [
      "After the checkpoint and close of \(code: "\(first.task)"), which changes nothing.",
      "Stored bytes are the logical size of all records: 24 bytes, name, group and payload of each. Other tools: programs of other authors that open the files. Where there is none, only the engine\u{2019}s library can read the records.",
    ]
    return section
  }

  /// Returns one result for each backend that stores files, the smallest files first. All results have the same number
  /// of records.
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
