import StorageContract
import StorageRunFiles

/// The report section on stores that are larger than the memory limit of their process.
enum LittleMemorySection {
  static func section(_ model: ReportModel) -> Section? {
    let rows = model.rows.filter { $0.cell.memory != nil }
    let groups = rows.grouped { row in row.cell.with { $0.backend = Spec(id: "") } }
    guard !groups.isEmpty else { return nil }
    var section = Section(id: "little-memory", title: "With little memory")
    section.lists = groups.map { .init(title: heading($0.key, $0.members), items: items($0.members, model)) }
    let measured = rows.filter { $0.finding(MemoryFindings.storeOverMemory) != nil }
    section.tables = [
      Table(
        "Work with little memory", of: measured,
        [
          .backend, .words("workload") { "\($0.cell.workload)" }, .records,
          .number("memory") { Quantity.size($0.cell.memory ?? 0) },
          .number("store by memory") { $0.finding(MemoryFindings.storeOverMemory).map(NumberFormat.ratio) }, .p50,
          .number("with all memory") { whole($0, model).flatMap { Figure.time($0) } },
          .number("from the disk") { $0.finding(MemoryFindings.diskBytes).map(NumberFormat.bytes) },
          .number("major faults") { $0.finding(MemoryFindings.majorFaults).map(NumberFormat.perOperation) },
          .number("the suite\u{2019}s own") { $0.finding(MemoryFindings.suiteBytes).map(NumberFormat.bytes) },
        ], isFolded: measured.count > Table.long)
    ].filter { !$0.rows.isEmpty }
    section.guide = [
      "The process that is measured runs in a control group: its heap and the pages of its files together have the memory that is named, and there is no swap. The store is written outside of the group, synced and dropped from memory; a new process in the group opens it, so that every page of it counts.",
      "Bytes from the disk are what the kernel had read for the process, calls and faults alike, with what it read ahead. A major fault is a page of a map that was not in memory: a store that is read by calls has hardly any. Both are of the cost pass.",
      "A process that the limit ends is a result: the backend needs more than that.",
      "The suite\u{2019}s own bytes are what the process had taken before it opened the store; records that checks expect are made anew from the seed, so that they take none.",
    ]
    return section
  }

  private static func heading(_ cell: Cell, _ rows: [SummaryRow]) -> String {
    let sizes = rows.compactMap { $0.finding(MemoryFindings.storeOverMemory) }
    let memory = "With \(Quantity.size(cell.memory ?? 0)) of memory"
    let conditions = cell.with { $0.memory = nil }.conditionWords
    let task = (["\(cell.workload) of \(Quantity.grouped(cell.records)) records"] + conditions).joined(separator: ", ")
    guard let least = sizes.min(), let most = sizes.max() else { return "\(memory): \(task)" }
    let (low, high) = (times(least), times(most))
    return "\(memory) and a store \(low == high ? low : "\(low) to \(high)") times that: \(task)"
  }

  private static func times(_ factor: Double) -> String { String(NumberFormat.ratio(factor).dropLast()) }

  private static func items(_ rows: [SummaryRow], _ model: ReportModel) -> [RichText] {
    rows.map { row in
      guard row.status == .ok else { return "\(Phrases.name(row)): \(row.status.rawValue), \(row.note)" }
      var parts: [String] = []
      if let time = row.typicalTime {
        let slower = whole(row, model)?.typicalTime.map { ", \(times(time / $0)) times as long as with all memory" }
        parts.append("\(NumberFormat.time(time)) an operation\(slower ?? "")")
      }
      if let bytes = row.finding(MemoryFindings.diskBytes), let faults = row.finding(MemoryFindings.majorFaults) {
        let count = NumberFormat.perOperation(faults)
        parts.append("\(NumberFormat.bytes(bytes)) from the disk and \(count) major faults each")
      }
      return "\(Phrases.name(row)): \(parts.joined(separator: "; "))"
    }
  }

  /// Returns the result of the same benchmark as `row`, but without a memory limit. Nil if not measured.
  private static func whole(_ row: SummaryRow, _ model: ReportModel) -> SummaryRow? {
    let cell = row.cell.with { $0.memory = nil }
    return model.rows.first { $0.cell == cell && $0.machine == row.machine }
  }

  /// Returns the sentence on backends whose process was ended by its memory limit, if there are any.
  static func sentences(_ model: ReportModel) -> [RichText] {
    // The first result of each backend is enough: if its store cannot be opened, the other results fail as well.
    let ended = model.rows.filter(\.isEndedByMemory).grouped { $0.cell.backend }.map { $0.members[0].note }
    return ended.isEmpty ? [] : ["\(strong: "Memory ends it"): \(Phrases.list(ended))."]
  }
}
