import StorageContract

/// `base.benchstat.txt` and `head.benchstat.txt`: Go's benchmark format, for `benchstat base.benchstat.txt
/// head.benchstat.txt`.
///
/// One line per process and side, so that benchstat sees the replicates and judges by its own rules; counts, which
/// have none, stand on the same lines, or on one of their own where nothing was timed.
public struct BenchstatComparison: ComparisonFormat {
  /// What stands after `-f`.
  public let id = "benchstat"
  /// Files.
  public let destination = ComparisonDestination.files

  /// Creates the format.
  public init() {}

  /// Both sides.
  public func files(_ comparison: Comparison) -> [(name: String, text: String)] {
    [
      ("base.benchstat.txt", Self.text(comparison, comparison.base, isBase: true)),
      ("head.benchstat.txt", Self.text(comparison, comparison.head, isBase: false)),
    ]
  }

  static func text(_ comparison: Comparison, _ side: Comparison.Side, isBase: Bool) -> String {
    var lines = ["tool: storage-bench", "compared: \(value(side.name))"]
    if let machine = side.machine { lines.append("machine: \(machine)") }
    for judgement in comparison.judgements {
      let counts = judgement.counts.map { change -> String in
        let total = Double(isBase ? change.base : change.head)
        return "\(plain(total / Double(max(1, change.operations)))) \(unit(change))"
      }
      let times = judgement.time.map { isBase ? $0.baseProcesses : $0.headProcesses } ?? []
      // Go's own counter of iterations must be positive; what it says is in the measurement's unit already.
      let operations = judgement.counts.first?.operations ?? 1
      if times.isEmpty {
        guard !counts.isEmpty else { continue }
        lines.append("\(name(judgement.name)) \(operations) \(counts.joined(separator: " "))")
      }
      for time in times {
        lines.append(
          "\(name(judgement.name)) \(operations) " + (["\(plain(time)) ns/op"] + counts).joined(separator: " "))
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// `BenchmarkSqlite/save-one/1000/shipped`: a name begins with `Benchmark` and no lower-case letter, holds no space,
  /// and its parts `key=value` are what benchstat groups by.
  static func name(_ name: String) -> String {
    let text = name.map { $0.isWhitespace ? "_" : $0 }
    return "Benchmark" + (text.first.map { $0.uppercased() } ?? "") + String(text.dropFirst())
  }

  private static func unit(_ change: CountChange) -> String {
    change.unit == "B" ? "\(change.metric)-B/op" : "\(change.metric)/op"
  }

  /// A configuration value ends with its line.
  private static func value(_ text: String) -> String {
    String(text.map { $0.isNewline ? " " : $0 })
  }

  /// A number as Go reads it.
  private static func plain(_ number: Double) -> String {
    number == number.rounded() && abs(number) < 1e15 ? String(Int(number)) : String(number)
  }
}
