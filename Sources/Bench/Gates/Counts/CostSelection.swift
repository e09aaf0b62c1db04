import StorageContract
import StorageTrial

extension CostFile {
  /// Returns the lines that options such as `-b lmdb` select. An option that selects no line is an error, since an
  /// empty check must not pass.
  func lines(selectedBy options: CellOptions, catalog: Catalog, path: String) throws -> [CostLine] {
    var filters: [(flag: String, text: String, matches: (Cell) -> Bool)] = []
    /// Adds a filter for each value of an option. A benchmark passes the filter if its `property` equals the value.
    func add<Value: Equatable>(
      _ flag: String, _ values: [Value]?, _ property: KeyPath<Cell, Value>, text: (Value) -> String = { "\($0)" }
    ) {
      for value in values ?? [] { filters.append((flag, text(value), { $0[keyPath: property] == value })) }
    }
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
    for filter in filters where !lines.contains(where: { filter.matches($0.cell) }) {
      throw UsageError(
        "\(path) lists no cell with \(filter.flag) \(filter.text); correct \(filter.flag), "
          + "or add cells with 'check \(path) --update' and all your options that select cells")
    }
    let groups = Dictionary(grouping: filters, by: \.flag)
    let chosen = lines.filter { line in
      groups.allSatisfy { flag, filters in
        // Benchmarks that only read have no durability, so `--durability` does not exclude them.
        filters.contains { $0.matches(line.cell) } || flag == "--durability" && line.cell.durability == nil
      }
    }
    let left = try options.withoutSkipped(chosen, cell: \.cell)
    guard !left.isEmpty else {
      throw UsageError("\(path) has no cell that matches; widen -b, -w, -n or --durability, or narrow --skip")
    }
    return left
  }
}
