import StorageContract
import StorageTrial

/// A selection of lines of `costs.csv`, by options such as `-b lmdb`.
struct CostSelection {
  private var filters: [Filter] = []
  private let options: CellOptions
  private let path: String

  private struct Filter {
    var flag: String
    var text: String
    var matches: (Cell) -> Bool

    init(_ flag: String, _ text: String, matches: @escaping (Cell) -> Bool) {
      self.flag = flag
      self.text = text
      self.matches = matches
    }
  }

  init(_ options: CellOptions, catalog: Catalog, path: String) throws {
    self.path = path
    self.options = options
    for spec in try options.backend.map({ try catalog.backendSpecs($0) }) ?? [] where options.backend != "all" {
      filters.append(Filter("--backend", "\(spec)") { $0.backend == spec })
    }
    for item in try options.workload.map({ try UsageError.naming("--workload", $0, Catalog.list) }) ?? [] {
      if Glob.isPattern(item) {
        filters.append(Filter("--workload", item) { Glob(item).matches($0.workload.id) })
      } else {
        let spec = try catalog.workloadSpec(item)
        filters.append(Filter("--workload", item) { $0.workload == spec })
      }
    }
    for records in options.records ?? [] {
      filters.append(Filter("--records", "\(records)") { $0.records == records })
    }
    for durability in options.durability ?? [] {
      filters.append(Filter("--durability", durability.rawValue) { $0.durability == durability })
    }
    if let bytes = options.recordBytes {
      filters.append(Filter("--record-bytes", "\(bytes)") { $0.recordBytes == bytes })
    }
    if let threads = options.threads {
      filters.append(Filter("--threads", "\(threads)") { $0.threads == threads })
    }
    if let cache = options.cache {
      filters.append(Filter("--cache", cache.rawValue) { $0.cache == cache })
    }
    for aged in options.aged ?? [] {
      filters.append(Filter("--aged", "\(aged)") { $0.aged == aged })
    }
    for memory in options.memory ?? [] {
      filters.append(Filter("--memory", memory.map(Quantity.size) ?? "all") { $0.memory == memory })
    }
  }

  /// Returns the selected lines of `costs.csv`.
  ///
  /// - Throws: `UsageError` if an option, or all options together, select no line. A check without lines must not pass.
  func selected(_ file: CostFile) throws -> [CostLine] {
    for filter in filters where !file.lines.contains(where: { filter.matches($0.cell) }) {
      throw UsageError(
        "\(path) lists no cell with \(filter.flag) \(filter.text); add it with 'check \(path) --update \(filter.flag) "
          + "\(filter.text)'")
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
