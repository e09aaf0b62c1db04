import StorageContract
import StorageTrial

extension CostFile {
  /// Returns the lines that options such as `-b lmdb` select. An option that selects no line is an error, since an
  /// empty check must not pass.
  func lines(selectedBy options: CellOptions, catalog: Catalog, path: String) throws -> [CostLine] {
    var chosen = lines
    /// Keeps the lines that match a value of an option, and requires that each value matches a line of the file.
    func keep<Value>(
      _ flag: String, _ values: [Value]?, text: (Value) -> String = { "\($0)" }, where matches: (Cell, Value) -> Bool
    ) throws {
      guard let values else { return }
      for value in values where !lines.contains(where: { matches($0.cell, value) }) {
        throw UsageError(
          "\(path) lists no cell with \(flag) \(text(value)); correct \(flag), "
            + "or add cells with 'check \(path) --update' and all your options that select cells")
      }
      chosen.removeAll { line in
        // Benchmarks that only read have no durability, so `--durability` does not exclude them.
        let isExempt = flag == "--durability" && line.cell.durability == nil
        return !isExempt && !values.contains { matches(line.cell, $0) }
      }
    }
    let backends = options.backend == "all" ? nil : try options.backend.map(catalog.backendSpecs)
    let workloads = try options.workload.map { try UsageError.naming("--workload", $0, Catalog.list) }?.map {
      (item: $0, spec: Glob.isPattern($0) ? nil : try catalog.workloadSpec($0))
    }
    try keep("--backend", backends) { $0.backend == $1 }
    try keep("--workload", workloads, text: \.item) { cell, workload in
      workload.spec.map { $0 == cell.workload } ?? Glob(workload.item).matches(cell.workload.id)
    }
    try keep("--records", options.records) { $0.records == $1 }
    try keep("--durability", options.durability, text: \.rawValue) { $0.durability == $1 }
    try keep("--record-bytes", options.recordBytes.map { [$0] }) { $0.recordBytes == $1 }
    try keep("--threads", options.threads.map { [$0] }) { $0.threads == $1 }
    try keep("--cache", options.cache.map { [$0] }, text: \.rawValue) { $0.cache == $1 }
    try keep("--aged", options.aged) { $0.aged == $1 }
    try keep("--memory", options.memory, text: { $0.map(Quantity.size) ?? "all" }, where: { $0.memory == $1 })
    let left = try options.withoutSkipped(chosen, cell: \.cell)
    guard !left.isEmpty else {
      throw UsageError("\(path) has no cell that matches; widen -b, -w, -n or --durability, or narrow --skip")
    }
    return left
  }
}
