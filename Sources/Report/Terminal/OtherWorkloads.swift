import StorageContract

/// All groups but the signature one in a table: a line per workload and promise, a column per backend.
struct OtherWorkloads {
  /// What the table compares.
  let groups: [ComparisonGroup]

  /// The title, the table and what its marks say.
  func lines(width: Int) -> [String] {
    var backends: [Spec] = []
    var lookalikes: Set<Spec> = []
    for group in groups {
      for row in group.rows {
        if !backends.contains(row.cell.backend) { backends.append(row.cell.backend) }
        if row.fidelity == .lookalike { lookalikes.insert(row.cell.backend) }
      }
    }
    // Levels of one workload share a line where each backend has only one: the marks stay within a level.
    let rows = groups.grouped(by: Self.title).map { title, members in
      [title] + backends.map { Self.field(members, $0) }
    }
    let columns =
      [("", TerminalTable.Alignment.left)]
      + backends.map { (Phrases.name($0, isLookalike: lookalikes.contains($0)), .right) }
    let table = TerminalTable(columns: columns, rows: rows)
    var lines = ["The other workloads, median of one operation"] + table.lines(width: width)
    let marks = Set(rows.flatMap { $0.dropFirst() }.compactMap(\.last))
    let isEmulated = rows.contains { $0.dropFirst().contains { $0.contains(Self.emulated) } }
    var legend: [String] = []
    if marks.contains("*") { legend.append("* fastest of its level") }
    if marks.contains("~") { legend.append("~ about equal to the fastest") }
    if marks.contains("?") { legend.append("? may be the fastest (inconclusive)") }
    if isEmulated { legend.append("e emulated over reads and writes, as an app would do it") }
    if !legend.isEmpty { lines.append(legend.joined(separator: "   ")) }
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
    for group in groups {
      guard let row = group.rows.first(where: { $0.cell.backend == backend }) else { continue }
      if let refusal = Phrases.refusal(row) { return refusal }
      guard let time = row.typicalTime else { return "-" }
      var text = NumberFormat.time(time)
      if row.isTimedOnce { text += " x1" }
      if row.fidelity == .emulated { text += emulated }
      guard ComparisonGroup.canWin(row), case .decided(let leaders, let next) = group.contest else { return text }
      guard row.cell == leaders[0].row.cell else { return text + (group.mark(of: row) ?? "") }
      // Where several lead, the first is no more than one of them.
      return text + (leaders.count == 1 && next != nil ? "*" : leaders.areAboutEqual ? "~" : "?")
    }
    return "-"
  }
}
