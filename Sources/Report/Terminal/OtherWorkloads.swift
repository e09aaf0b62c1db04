import StorageContract

/// All groups but the signature one in a table: a line per workload and promise, a column per backend.
struct OtherWorkloads {
  /// What the table compares.
  let groups: [ComparisonGroup]
  /// The plan's backends, in its order: those that have a row have a column.
  let planned: [Spec]

  /// The title, the table and what its marks say.
  func lines(width: Int) -> [String] {
    let rows = groups.flatMap(\.rows)
    let present = Set(rows.map(\.cell.backend))
    let backends = planned.filter(present.contains)
    let lookalikes = Set(rows.filter { $0.fidelity == .lookalike }.map(\.cell.backend))
    // Levels of one workload share a line: a star is for the fastest of all that promise at least as much.
    let fields = groups.grouped(by: Self.title).map { title, members in
      [title] + backends.map { Self.field(members, $0) }
    }
    let columns =
      [("", TerminalTable.Alignment.left)]
      + backends.map { (Phrases.name($0, isLookalike: lookalikes.contains($0)), .right) }
    let table = TerminalTable(columns: columns, rows: fields)
    var lines = ["The other workloads, median of one operation"] + table.lines(width: width)
    let shown = fields.flatMap { $0.dropFirst() }
    let marks = Set(shown.compactMap(\.last))
    var legend: [String] = []
    if marks.contains("*") { legend.append("* fastest of all that promise as much") }
    if marks.contains("~") { legend.append("~ about equal to the fastest") }
    if marks.contains("?") { legend.append("? may be the fastest (inconclusive)") }
    if shown.contains(where: { $0.contains("^") }) { legend.append("^ \(Competition.exceeds)") }
    if shown.contains(where: { $0.contains(Self.emulated) }) {
      legend.append("e emulated over reads and writes, as an app would do it")
    }
    let line = legend.joined(separator: "   ")
    lines += line.count <= width ? [line].filter { !$0.isEmpty } : legend
    return lines
  }

  /// What stands before a line: `read-one 10k`.
  private static func title(_ group: ComparisonGroup) -> String {
    var parts = ["\(group.workload)", NumberFormat.short(group.records)]
    if group.recordBytes != 100 { parts.append("\(group.recordBytes)B") }
    if group.threads != 1 { parts.append("x\(group.threads)") }
    if group.cache == .cold { parts.append("cold") }
    if let durability = group.durability, durability != .shipped { parts.append(durability.rawValue) }
    return parts.joined(separator: " ")
  }

  /// Follows the time of what the engine cannot do itself.
  private static let emulated = " e"

  private static func field(_ groups: [ComparisonGroup], _ backend: Spec) -> String {
    // The weakest level comes last: there the row has the most rivals.
    let groups = groups.reversed().filter { $0.row(of: backend) != nil }
    guard let group = groups.first, let row = group.row(of: backend) else { return "-" }
    if let refusal = Phrases.refusal(row) { return refusal }
    guard let time = row.typicalTime else { return "-" }
    var text = NumberFormat.time(time)
    if row.isTimedOnce { text += " x1" }
    if row.fidelity == .emulated { text += emulated }
    if group.exceeds(row) { text += "^" }
    let marks = groups.compactMap { mark(row, in: $0) }
    return text + (marks.contains("*") ? "*" : marks.first ?? "")
  }

  /// `*` for the fastest of a group; where several lead, the first is no more than one of them.
  private static func mark(_ row: SummaryRow, in group: ComparisonGroup) -> String? {
    guard ComparisonGroup.canWin(row), case .decided(let leaders, let next) = group.contest else { return nil }
    guard row.cell == leaders[0].row.cell else { return group.mark(of: row) }
    return leaders.count == 1 && next != nil ? "*" : leaders.areAboutEqual ? "~" : "?"
  }
}
