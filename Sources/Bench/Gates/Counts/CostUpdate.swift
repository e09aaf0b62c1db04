import StorageContract
import StorageReport
import StorageRunFiles
import StorageStatistics

/// An update of `costs.csv` with newly measured numbers of writes, syncs and allocations, for `check --update`.
struct CostUpdate {
  let path: String
  let old: CostFile?

  /// Returns the new content of `costs.csv`: the lines measured in this run, and the old lines of all other benchmarks.
  ///
  /// - Returns: The file, and a description of each changed or added line. A new file has no descriptions.
  /// - Throws: `UsageError` if the old lines were measured under different conditions, such as another seed or library
  ///   version; ``ExitStatus/Failure`` if a benchmark failed.
  func updated(_ model: ReportModel) throws -> (file: CostFile, changes: [String]) {
    var file = CostFile(header: CostHeader(model), lines: [])
    let countsAllocations = model.environment.build["mode"] != "debug"
    for row in model.rows where row.status == .failed {
      throw ExitStatus.Failure(
        ExitStatus.failed, "\(row.cell.name) failed: \(row.note); fix it, or leave it out with --skip")
    }
    file.lines = model.rows.compactMap { row in
      guard let line = CostLine(row, countsAllocations: countsAllocations) else { return nil }
      return old?.lines.first { $0.cell == line.cell }.map { line.keeping($0, row) } ?? line
    }
    let names = Set(file.lines.map(\.cell.name))
    let kept = (old?.lines ?? []).filter { !names.contains($0.cell.name) }
    if let old, !kept.isEmpty {
      for fact in CostHeader.order where old.header.facts[fact] != file.header.facts[fact] {
        throw otherFact(fact, old.header.facts[fact], kept.count, file.header.facts[fact])
      }
      for (id, version) in old.header.engines where kept.contains(where: { $0.cell.backend.engine == id }) {
        if let now = file.header.engines[id], now != version { throw otherConditions(version, kept.count, now) }
        file.header.engines[id] = version
      }
    }
    file.lines = (file.lines + kept).sorted()
    return (file, changes(file))
  }

  private func otherFact(_ fact: String, _ there: String?, _ count: Int, _ here: String?) -> UsageError {
    switch (fact, there, here) {
    case ("seed", let there?, let here?), ("payload", let there?, let here?):
      otherConditions(
        "\(fact) \(there)", count, here,
        "give --\(fact) \(there), or count all cells again with 'check \(path) --update --\(fact) \(here)', "
          + "without options such as -b, -w and --skip, after removing the lines of cells that cannot be run here")
    case ("dataset", _, _):
      otherConditions(
        there.map { "data set \($0)" } ?? "generated records", count,
        here.map { "data set \($0)" } ?? "generated records",
        (there == nil ? "leave out --dataset" : "give the same --dataset and --map")
          + ", or make a new file with 'check NEW.csv --update' and your options")
    default: otherConditions("\(fact) \(there ?? "unknown")", count, here ?? "none")
    }
  }

  private func otherConditions(_ there: String, _ count: Int, _ here: String, _ fix: String? = nil) -> UsageError {
    let usualFix =
      "count all cells again with 'check \(path) --update', "
      + "without options that select cells, such as -b, -w and --skip; "
      + "for those that cannot be run here, install what they need, or remove their lines"
    return UsageError(
      "\(path) lists \(Quantity.counted(count, "other cell")), counted with \(there) instead of \(here); "
        + (fix ?? usualFix))
  }

  private func changes(_ new: CostFile) -> [String] {
    let before = Dictionary((old?.lines ?? []).map { ($0.cell.name, $0) }, uniquingKeysWith: { first, _ in first })
    return new.lines.compactMap { line in
      guard let earlier = before[line.cell.name] else { return old == nil ? nil : "new: \(line.cell.name)" }
      guard earlier.fields != line.fields else { return nil }
      func name(_ field: String) -> Substring { field.prefix { $0 != "=" } }
      let known = Dictionary(earlier.fields.map { (name($0), $0) }, uniquingKeysWith: { first, _ in first })
      let changed = line.fields.compactMap { field -> String? in
        guard let before = known[name(field)] else { return "new: \(field)" }
        return before == field ? nil : "\(before) -> \(field)"
      }
      return "\(line.cell.name): \(changed.joined(separator: ", "))"
    }
  }
}

extension CostLine {
  /// Returns this new line of `costs.csv`. A number with a negligible change keeps its value from the line `earlier`.
  ///
  /// - Parameter row: The measured results of the benchmark, which determine how large a negligible change is.
  fileprivate func keeping(_ earlier: CostLine, _ row: SummaryRow) -> CostLine {
    guard operations == earlier.operations else { return self }
    var line = self
    for metric in Measure.committed {
      let tolerance = Tolerances().share(metric, in: row)
      if let base = earlier.counts[metric.name], let head = counts[metric.name],
        ChangeVerdict(count: base, head, tolerance: tolerance) == .same
      {
        line.counts[metric.name] = base
      }
    }
    return line
  }
}
