import StorageContract
import StorageRunFiles
import StorageStatistics

/// A column of `summary.csv`: its name, and a function that returns its value in a row.
struct SummaryColumn: Sendable {
  let name: String
  let text: @Sendable (SummaryRow) -> String

  init(_ name: String, _ text: @escaping @Sendable (SummaryRow) -> String) {
    self.name = name
    self.text = text
  }

  init(_ name: String, _ path: KeyPath<SummaryRow, Double?> & Sendable) {
    self.init(name) { $0[keyPath: path].map(NumberFormat.plain) ?? "" }
  }

  init(_ name: String, _ path: KeyPath<SummaryRow, Int?> & Sendable) {
    self.init(name) { $0[keyPath: path].map(String.init) ?? "" }
  }

  /// All columns of `summary.csv` in order. New columns go to the end, because some programs read columns by position.
  static let all: [SummaryColumn] =
    beginning + columns(.first) + origin + kinds + frames + later

  /// The columns of `summary.csv` that are missing in older files of the same schema version.
  static let later: [SummaryColumn] =
    [
      SummaryColumn("mean_ns", \.mean)
    ] + columns(.later) + [
      SummaryColumn("aged") { String($0.cell.aged) },
      SummaryColumn("memory", \.cell.memory),
      SummaryColumn("findings") { row in
        // Findings are written as `lost_updates=12 stale_reads=3`.
        row.findings.map { "\($0.name)=\(NumberFormat.plain($0.value))" }.joined(separator: " ")
      },
    ] + columns(.last)

  private static func columns(_ group: Measure.Group) -> [SummaryColumn] {
    Measure.reported.filter { $0.group == group }.map { measure in
      SummaryColumn(measure.column) { $0.cost?[keyPath: measure.path].map(String.init) ?? "" }
    }
  }

  private static let beginning: [SummaryColumn] = [
    SummaryColumn("schema") { _ in String(schemaVersion) },
    SummaryColumn("machine") { $0.machine },
    SummaryColumn("run") { $0.run },
    SummaryColumn("backend") { $0.cell.backend.id },
    SummaryColumn("options") { $0.cell.backend.options.description },
    SummaryColumn("workload") { $0.cell.workload.description },
    SummaryColumn("records") { String($0.cell.records) },
    SummaryColumn("record_bytes") { String($0.cell.recordBytes) },
    SummaryColumn("threads") { String($0.cell.threads) },
    SummaryColumn("cache") { $0.cell.cache.rawValue },
    SummaryColumn("durability") { $0.cell.durability?.rawValue ?? "" },
    SummaryColumn("level") { $0.level?.rawValue ?? "" },
    SummaryColumn("settings") { $0.settings },
    SummaryColumn("engine_version") { $0.engineVersion },
    SummaryColumn("fidelity") { $0.fidelity.rawValue },
    SummaryColumn("status") { $0.status.rawValue },
    SummaryColumn("note") { NumberFormat.ascii($0.note) },
    SummaryColumn("processes") { String($0.processes) },
    SummaryColumn("operations") { String($0.operations) },
    SummaryColumn("p50_ns", \.p50),
    SummaryColumn("p50_low_ns", \.p50Interval?.low),
    SummaryColumn("p50_high_ns", \.p50Interval?.high),
    SummaryColumn("p90_ns", \.p90),
    SummaryColumn("p99_ns", \.p99),
    SummaryColumn("p999_ns", \.p999),
    SummaryColumn("max_ns", \.max),
    SummaryColumn("ops_per_s", \.operationsPerSecond),
    SummaryColumn("cpu_ns_per_op", \.cpuPerOperation),
    SummaryColumn("counted_operations", \.cost?.countedOperations),
  ]

  private static let origin: [SummaryColumn] = [
    SummaryColumn("digest") { $0.cost?.digest ?? "" },
    SummaryColumn("stream_hash") { $0.streamHash },
    SummaryColumn("dataset") { $0.dataset },
    SummaryColumn("seed") { String($0.seed) },
  ]

  private static let kinds: [SummaryColumn] = KindLatency.known.flatMap { kind, _ -> [SummaryColumn] in
    func ofKind(_ name: String, _ text: @escaping @Sendable (KindLatency) -> String) -> SummaryColumn {
      SummaryColumn("\(kind)_\(name)") { row in row.kinds.first { $0.kind == kind }.map(text) ?? "" }
    }
    return [
      ofKind("operations") { String($0.operations) }, ofKind("p50_ns") { NumberFormat.plain($0.p50) },
      ofKind("p99_ns") { $0.p99.map(NumberFormat.plain) ?? "" },
    ]
  }

  private static let frames: [SummaryColumn] = [
    SummaryColumn("over_16_7ms", \.overFrame),
    SummaryColumn("over_8_3ms", \.overHalfFrame),
    SummaryColumn("states") { row in
      [
        (row.isTimedOnce, "timed-once"), (row.isBatched, "batched"), (row.fellBehind, "fell-behind"),
        (row.isResumed, "resumed"),
      ].filter(\.0).map(\.1).joined(separator: " ")
    },
  ]
}
