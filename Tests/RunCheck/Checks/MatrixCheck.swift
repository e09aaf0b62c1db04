/// Checks every field of the matrix: its time, its ratio, its marks and the rows of each table.
enum MatrixCheck: RunCheck {
  static let name = "matrix"

  static let levels = ["volatile", "fragile", "crash", "intact", "durable"]

  /// The end of the caption of a table without ratios.
  private static let alone = ", nothing to compare with, p50"

  static func problems(_ run: FinishedRun) -> [String] {
    let tables = run.page.tables.filter { $0.section == "matrix" && $0.caption.hasSuffix(", p50") }
    guard !tables.isEmpty || run.rows.isEmpty else { return ["the page has no matrix"] }
    return tables.flatMap { table in table.rows.flatMap { line(run, table, $0) } } + unseen(run, tables)
  }

  /// Returns the timed rows that are in no table. A row must not be missing because nothing competes with it.
  private static func unseen(_ run: FinishedRun, _ tables: [ParsedReport.Table]) -> [String] {
    let figures = tables.flatMap(\.rows).joined().flatMap(\.figures)
    let shown = Set(figures.compactMap { $0.origin.split(separator: " ").first.map(String.init) })
    return run.rows.filter { $0.time != nil && !shown.contains($0.cell) }.map { "\($0.cell) stands in no table" }
  }

  private static func line(
    _ run: FinishedRun, _ table: ParsedReport.Table, _ fields: [ParsedReport.Field]
  ) -> [String] {
    // Backends that compete with no other share a table of times, with any level.
    let isAlone = table.caption.hasSuffix(alone)
    let promise = String(table.caption.dropLast(isAlone ? alone.count : ", p50".count)).replacing("Saves ", with: "")
    guard let work = Subject(fields[0].text + (promise == "Reads" ? "" : ", " + promise)) else {
      return ["the line \(fields[0].text) of \(table.caption) is not understood"]
    }
    var problems: [String] = []
    let measured = zip(table.columns, fields).dropFirst().filter { !$1.figures.isEmpty }
    // The base of the line's factors: the last cell that they name.
    var bases: Set<String> = []
    for (_, field) in measured where field.figures.count > 1 {
      if let other = field.figures[1].origin.components(separatedBy: " / ").last?.split(separator: " ").first {
        let own = field.figures[1].origin.split(separator: " ").first ?? ""
        bases.insert(String(other.contains("/") ? other : own))
      }
    }
    if bases.count > 1 { problems.append("\(fields[0].text) has factors to \(bases.sorted())") }
    if isAlone, !bases.isEmpty { problems.append("\(fields[0].text) competes with nothing, but has factors") }
    for (column, field) in measured {
      guard let row = run.row(column, work.columns), let time = row.time else {
        problems.append("\(fields[0].text), \(column): \(field.text) is of no row")
        continue
      }
      let location = "\(table.caption), \(fields[0].text), \(column)"
      if Shown(field.figures[0].text)?.says(time) != true {
        problems.append("\(location): \(field.text) for \(time) ns")
      }
      let marks = Set(field.rest.split(separator: " ").map(String.init))
      problems += promised(row, work, marks).map { "\(location): \($0)" }
      guard let base = bases.first, field.figures.count > 1, row.cell != base else { continue }
      let pairs = Pairs(run.trials[base], run.trials[row.cell])
      let baseRow = run.rows.first { $0.cell == base }
      let exact = pairs?.ratio ?? baseRow?.time.map { time / $0 }
      if let exact, Shown(field.figures[1].text)?.says(exact) != true {
        problems.append("\(location): \(field.figures[1].text), but by its trials \(exact)")
      }
      guard let pairs else { continue }
      if marks.contains("~"), !pairs.isAboutEqual {
        problems.append("\(location): about equal, but the interval is \(pairs.low) to \(pairs.high)")
      }
      if marks.contains("?"), pairs.isClearlySlower {
        problems.append("\(location): inconclusive, but the interval is \(pairs.low) to \(pairs.high)")
      }
      let isRival = row.text("fidelity") == "native" && !run.once.contains(row.cell)
      let isContest = isRival && baseRow?.text("fidelity") == "native" && !run.once.contains(base)
      if isContest, !marks.contains("~"), !marks.contains("?"), !pairs.isSlower {
        problems.append("\(location): said to be slower, but the interval is \(pairs.low) to \(pairs.high)")
      }
    }
    return problems
  }

  /// Returns the faults of a row's level against that of its table.
  private static func promised(_ row: FinishedRun.Row, _ work: Subject, _ marks: Set<String>) -> [String] {
    guard let asked = work.safety else { return [] }
    let has = row.safety
    if has < asked { return ["promises \(row.text("level")) only"] }
    if has > asked, asked < 2 { return ["\(row.text("level")) is ranked with what is \(levels[asked])"] }
    if (has > asked) != marks.contains("^") { return ["promises \(row.text("level")), but ^ says otherwise"] }
    return []
  }
}

/// The subject of a line or a sentence: `save-one, 100 records, 4 threads, as shipped (intact)`.
struct Subject {
  /// The columns of `summary.csv` that its rows have in common.
  var columns: [String: String] = ["record_bytes": "100", "threads": "1", "cache": "warm", "durability": ""]
  /// The required level. Nil for reads.
  var level: String?
  /// The rank of the required level, as that of a row.
  var safety: Int? { level.flatMap { MatrixCheck.levels.firstIndex(of: $0) } }

  /// Parses a text. Nil if a part is not understood.
  init?(_ text: String) {
    let parts = text.components(separatedBy: ", ")
    let numbers: [Substring: String] = [
      "record": "records", "records": "records", "bytes each": "record_bytes", "threads": "threads",
    ]
    columns["workload"] = parts[0]
    for part in parts.dropFirst() {
      if let number = part.wholeMatch(of: /([\d,]+) (.+)/), let column = numbers[number.2] {
        columns[column] = number.1.ungrouped
      } else if part == "cold" {
        columns["cache"] = part
      } else if let machine = part.wholeMatch(of: /machine (\S+)/) {
        columns["machine"] = String(machine.1)
      } else if let shipped = part.wholeMatch(of: /as shipped(?: \((\w+)\))?/) {
        columns["durability"] = "shipped"
        level = shipped.1.map(String.init)
      } else if ["crash", "intact", "durable"].contains(part) {
        columns["durability"] = part
        level = part
      } else {
        return nil
      }
    }
  }
}
