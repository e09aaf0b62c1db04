import StorageRunFiles

/// `benchstat.txt`: Go's benchmark format, for `benchstat OLD NEW`.
///
/// One line per round, so that benchstat sees the replicates and judges by its own rules; counts, which are the same
/// in every round, stand on each line. The format is specified at
/// https://go.dev/design/14313-benchmark-format.
public struct BenchstatFormat: TextFormat {
  /// What stands after `-f`.
  public let id = "benchstat"
  /// `benchstat.txt`.
  public let fileNames = ["benchstat.txt"]

  /// Creates the format.
  public init() {}

  /// The file's text.
  public func text(_ page: Page) -> String {
    let model = page.model
    var lines = [
      "tool: storage-bench", "run: \(Self.value(model.directory.name))", "machine: \(model.environment.machine)",
    ]
    if let cpu = model.environment.system["cpu"] { lines.append("cpu: \(Self.value(cpu))") }
    for row in model.rows where row.status == .ok {
      let counts = Self.counts(row)
      // Go's counter of iterations must be positive.
      let operations = max(1, row.cost?.countedOperations ?? row.operations)
      let times = row.rounds.sorted { $0.key < $1.key }.map {
        ["\(NumberFormat.plain($0.value.typical)) ns/op"] + counts
      }
      for measured in times.isEmpty && !counts.isEmpty ? [counts] : times {
        lines.append(([Self.name(row.cell.name), String(operations)] + measured).joined(separator: "\t"))
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// `BenchmarkSqlite/save-one/1000/shipped`: a name begins with `Benchmark`, then no lower-case letter, and holds no
  /// space.
  static func name(_ cell: String) -> String {
    let text = cell.map { $0.isWhitespace ? "_" : $0 }
    return "Benchmark" + (text.first.map { $0.uppercased() } ?? "") + String(text.dropFirst())
  }

  private static func counts(_ row: SummaryRow) -> [String] {
    let counts: [(KeyPath<Cost, Int?>, String)] = [
      (\.bytesWrittenSettled, "written-B/op"), (\.writeCalls, "writes/op"), (\.syncsSettled, "syncs/op"),
      (\.allocatedBytes, "B/op"), (\.allocations, "allocs/op"),
    ]
    return counts.compactMap { path, unit in row.perOperation(path).map { "\(NumberFormat.plain($0)) \(unit)" } }
  }

  /// A configuration's value ends with its line.
  private static func value(_ text: String) -> String { String(text.map { $0.isNewline ? " " : $0 }) }
}
