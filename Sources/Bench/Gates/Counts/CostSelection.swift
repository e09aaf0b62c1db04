import StorageContract
import StorageTrial

/// A selection of lines of `costs.csv`, by options such as `-b lmdb`.
struct CostSelection {
  private var filters: [(flag: String, text: String, matches: (Cell) -> Bool)] = []
  private let options: CellOptions
  private let path: String

  init(_ options: CellOptions, catalog: Catalog, path: String) throws {
    self.path = path
    self.options = options
    if options.backend != "all" {
      add("--backend", try options.backend.map { try catalog.backendSpecs($0) }, \.backend)
    }
    for item in try options.workload.map({ try UsageError.naming("--workload", $0, Catalog.list) }) ?? [] {
      if Glob.isPattern(item) {
        filters.append(("--workload", item, { Glob(item).matches($0.workload.id) }))
      } else {
        let spec = try catalog.workloadSpec(item)
        filters.append(("--workload", item, { $0.workload == spec }))
      }
    }
    add("--records", options.records, \.records)
    for durability in options.durability ?? [] {
      filters.append(("--durability", durability.rawValue, { $0.durability == durability }))
    }
    add("--record-bytes", options.recordBytes.map { [$0] }, \.recordBytes)
    add("--threads", options.threads.map { [$0] }, \.threads)
    add("--cache", options.cache.map { [$0] }, \.cache) { $0.rawValue }
    add("--aged", options.aged, \.aged)
    add("--memory", options.memory, \.memory) { $0.map(Quantity.size) ?? "all" }
  }

  /// Adds a filter for each value of an option. A benchmark passes the filter if its `property` equals the value.
  private mutating func add<Value: Equatable>(
    _ flag: String, _ values: [Value]?, _ property: KeyPath<Cell, Value>, text: (Value) -> String = { "\($0)" }
  ) {
    for value in values ?? [] { filters.append((flag, text(value), { $0[keyPath: property] == value })) }
  }

  /// Returns the selected lines of `costs.csv`.
  ///
  /// - Throws: `UsageError` if an option, or all options together, select no line: an empty check must not pass.
  func selected(_ file: CostFile) throws -> [CostLine] {
    for filter in filters where !file.lines.contains(where: { filter.matches($0.cell) }) {
      throw UsageError(
        "\(path) lists no cell with \(filter.flag) \(filter.text); correct \(filter.flag), "
          + "or add cells with 'check \(path) --update' and all your options that select cells")
    }
    let groups = Dictionary(grouping: filters, by: \.flag)
    let chosen = file.lines.filter { line in
      groups.allSatisfy { flag, filters in
        // Benchmarks that only read have no durability, so `--durability` does not exclude them.
        filters.contains { $0.matches(line.cell) } || flag == "--durability" && line.cell.durability == nil
      }
    }
    let lines = try options.withoutSkipped(chosen, cell: \.cell)
    guard !lines.isEmpty else {
      throw UsageError("\(path) has no cell that matches; widen -b, -w, -n or --durability, or narrow --skip")
    }
    return lines
  }
}
