import StorageContract
import StorageRunFiles
import StorageStatistics

/// A column of `summary.csv`: its name, and how to write and read a row's value.
struct SummaryColumn: Sendable {
  let name: String
  let text: @Sendable (SummaryRow) -> String
  /// A function that reads a text into a row. It returns false if it is not a value of this column.
  let read: @Sendable (String, inout SummaryRow) -> Bool

  /// Creates a column of a text without conversion.
  init(_ name: String, _ path: WritableKeyPath<SummaryRow, String> & Sendable) {
    self.init(
      name, { $0[keyPath: path] },
      { text, row in
        row[keyPath: path] = text
        return true
      })
  }

  /// Creates a column of a number that may be empty.
  init(_ name: String, _ path: WritableKeyPath<SummaryRow, Double?> & Sendable) {
    self.init(
      name, { $0[keyPath: path].map(NumberFormat.plain) ?? "" },
      { text, row in
        row[keyPath: path] = Double(text)
        return text.isEmpty || row[keyPath: path] != nil
      })
  }

  /// Creates a column of a count of the cost pass. It is empty if that was not measured.
  init(_ name: String, _ path: WritableKeyPath<Cost, Int?> & Sendable) {
    self.init(
      name, { $0.cost?[keyPath: path].map(String.init) ?? "" },
      { text, row in
        if text.isEmpty { return true }
        row.cost?[keyPath: path] = Int(text)
        return row.cost != nil && Int(text) != nil
      })
  }

  init(
    _ name: String, _ text: @escaping @Sendable (SummaryRow) -> String,
    _ read: @escaping @Sendable (String, inout SummaryRow) -> Bool
  ) {
    self.name = name
    self.text = text
    self.read = read
  }

  /// All columns in order. New ones go to the end, because tools read them by position as well as by name.
  static let all: [SummaryColumn] =
    identity + outcome + times + counts + origin + kinds + frames + [states] + later

  /// The columns that older files of this schema lack.
  static let later: [SummaryColumn] =
    [
      SummaryColumn("mean_ns", \.mean)
    ] + columns(.later) + [
      ofCell("aged") { String($0.cell.aged) },
      ofCell("memory") { $0.cell.memory.map(String.init) ?? "" },
      findings,
    ] + columns(.last)

  private static func columns(_ group: Measure.Group) -> [SummaryColumn] {
    Measure.reported.filter { $0.group == group }.map { SummaryColumn($0.column, $0.path) }
  }

  /// The findings of the workload, as in `lost_updates=12 stale_reads=3`. They are already combined over the trials.
  private static let findings = SummaryColumn(
    "findings", { $0.findings.map { "\($0.name)=\(NumberFormat.plain($0.value))" }.joined(separator: " ") },
    { text, row in
      for word in text.split(separator: " ") {
        let pair = word.split(separator: "=", maxSplits: 1)
        guard pair.count == 2, let value = Double(pair[1]) else { return false }
        row.findings.append(Finding(String(pair[0]), value))
      }
      return true
    })

  // The columns of the cell are read together by `SummaryCSV`, because a cell is created in one step.
  private static func ofCell(_ name: String, _ text: @escaping @Sendable (SummaryRow) -> String)
    -> SummaryColumn
  {
    SummaryColumn(name, text, { _, _ in true })
  }

  private static let identity: [SummaryColumn] = [
    SummaryColumn("schema", { _ in String(schemaVersion) }, { text, _ in readableSchemas.contains(Int(text) ?? 0) }),
    SummaryColumn("machine", \.machine),
    SummaryColumn("run", \.run),
    ofCell("backend") { $0.cell.backend.id },
    ofCell("options") { $0.cell.backend.options.description },
    ofCell("workload") { $0.cell.workload.description },
    ofCell("records") { String($0.cell.records) },
    ofCell("record_bytes") { String($0.cell.recordBytes) },
    ofCell("threads") { String($0.cell.threads) },
    ofCell("cache") { $0.cell.cache.rawValue },
    ofCell("durability") { $0.cell.durability?.rawValue ?? "" },
    SummaryColumn(
      "level", { $0.level?.rawValue ?? "" },
      { text, row in
        row.level = Level(rawValue: text)
        return text.isEmpty || row.level != nil
      }),
    SummaryColumn("settings", \.settings),
    SummaryColumn("engine_version", \.engineVersion),
    SummaryColumn(
      "fidelity", { $0.fidelity.rawValue },
      { text, row in
        row.fidelity = Fidelity(rawValue: text) ?? row.fidelity
        return Fidelity(rawValue: text) != nil
      }),
  ]

  private static let outcome: [SummaryColumn] = [
    SummaryColumn(
      "status", { $0.status.rawValue },
      { text, row in
        row.status = Status(rawValue: text) ?? row.status
        return Status(rawValue: text) != nil
      }),
    SummaryColumn("note", \.note),
    whole("processes", \.processes),
    whole("operations", \.operations),
  ]

  private static let times: [SummaryColumn] = [
    SummaryColumn("p50_ns", \.p50),
    SummaryColumn(
      "p50_low_ns", { $0.p50Interval.map { NumberFormat.plain($0.low) } ?? "" },
      { text, row in
        if let low = Double(text) { row.p50Interval = MedianInterval(low: low, high: low) }
        return text.isEmpty || Double(text) != nil
      }),
    SummaryColumn(
      "p50_high_ns", { $0.p50Interval.map { NumberFormat.plain($0.high) } ?? "" },
      { text, row in
        if let high = Double(text) { row.p50Interval?.high = high }
        return text.isEmpty == (row.p50Interval == nil) && (text.isEmpty || Double(text) != nil)
      }),
    SummaryColumn("p90_ns", \.p90),
    SummaryColumn("p99_ns", \.p99),
    SummaryColumn("p999_ns", \.p999),
    SummaryColumn("max_ns", \.max),
    SummaryColumn("ops_per_s", \.operationsPerSecond),
    SummaryColumn("cpu_ns_per_op", \.cpuPerOperation),
  ]

  private static let counts: [SummaryColumn] =
    [
      SummaryColumn(
        "counted_operations", { $0.cost.map { String($0.countedOperations) } ?? "" },
        { text, row in
          row.cost = Int(text).map(Cost.init(countedOperations:))
          return text.isEmpty || row.cost != nil
        })
    ] + columns(.first) + [
      SummaryColumn(
        "digest", { $0.cost?.digest ?? "" },
        { text, row in
          if !text.isEmpty { row.cost?.digest = text }
          return text.isEmpty || row.cost != nil
        })
    ]

  private static let origin: [SummaryColumn] = [
    SummaryColumn("stream_hash", \.streamHash),
    SummaryColumn("dataset", \.dataset),
    SummaryColumn(
      "seed", { String($0.seed) },
      { text, row in
        row.seed = UInt64(text) ?? row.seed
        return UInt64(text) != nil
      }),
  ]

  /// Three columns for each kind of operation of a mix.
  private static let kinds: [SummaryColumn] = KindLatency.known.flatMap { kind, _ -> [SummaryColumn] in
    func ofKind(
      _ name: String, _ text: @escaping @Sendable (KindLatency) -> String,
      _ read: @escaping @Sendable (String, inout KindLatency) -> Bool
    ) -> SummaryColumn {
      SummaryColumn(
        "\(kind)_\(name)", { row in row.kinds.first { $0.kind == kind }.map(text) ?? "" },
        { text, row in
          guard !text.isEmpty else { return true }
          if !row.kinds.contains(where: { $0.kind == kind }) {
            row.kinds.append(KindLatency(kind: kind, operations: 0, p50: 0, p99: nil))
          }
          return row.kinds.firstIndex { $0.kind == kind }.map { read(text, &row.kinds[$0]) } ?? false
        })
    }
    return [
      ofKind("operations", { String($0.operations) }) { text, latency in
        latency.operations = Int(text) ?? 0
        return Int(text) != nil
      },
      ofKind("p50_ns", { NumberFormat.plain($0.p50) }) { text, latency in
        latency.p50 = Double(text) ?? 0
        return Double(text) != nil
      },
      ofKind("p99_ns", { $0.p99.map(NumberFormat.plain) ?? "" }) { text, latency in
        latency.p99 = Double(text)
        return latency.p99 != nil
      },
    ]
  }

  /// The unusual states of a row for programs, in one field: words separated by spaces.
  private static let states = SummaryColumn(
    "states",
    { row in
      stateNames.filter { row[keyPath: $0.path] }.map(\.name).joined(separator: " ")
    },
    { text, row in
      for name in text.split(separator: " ") {
        guard let path = stateNames.first(where: { $0.name == name })?.path else { return false }
        row[keyPath: path] = true
      }
      return true
    })

  private static let stateNames: [(name: String, path: WritableKeyPath<SummaryRow, Bool> & Sendable)] = [
    ("timed-once", \.isTimedOnce), ("batched", \.isBatched), ("fell-behind", \.fellBehind),
    ("resumed", \.isResumed),
  ]

  private static let frames: [SummaryColumn] = [
    wholeOrNone("over_16_7ms", \.overFrame),
    wholeOrNone("over_8_3ms", \.overHalfFrame),
  ]

  private static func wholeOrNone(
    _ name: String, _ path: WritableKeyPath<SummaryRow, Int?> & Sendable
  ) -> SummaryColumn {
    SummaryColumn(
      name, { $0[keyPath: path].map(String.init) ?? "" },
      { text, row in
        row[keyPath: path] = Int(text)
        return text.isEmpty || Int(text) != nil
      })
  }

  private static func whole(
    _ name: String, _ path: WritableKeyPath<SummaryRow, Int> & Sendable
  ) -> SummaryColumn {
    SummaryColumn(
      name, { String($0[keyPath: path]) },
      { text, row in
        row[keyPath: path] = Int(text) ?? 0
        return Int(text) != nil
      })
  }
}
