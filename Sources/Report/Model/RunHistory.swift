import StorageContract
import StorageRunFiles

/// A run as far as its counts are compared with those of others.
public struct RunHistory: Sendable {
  /// Its label or name.
  let name: String
  /// The revision that it was built from.
  let revision: String?
  /// Counts per operation, by cell and by the names of ``counts``.
  let perOperation: [Cell: [String: Double]]

  /// What is compared: its name, where a cost pass has it, and how it is written.
  static let counts: [(name: String, path: KeyPath<Cost, Int?> & Sendable, unit: @Sendable (Double) -> String)] = [
    ("bytes written", \.bytesWrittenSettled, NumberFormat.bytes),
    ("write calls", \.writeCalls, NumberFormat.perOperation),
    ("syncs", \.syncsSettled, NumberFormat.perOperation), ("allocations", \.allocations, NumberFormat.perOperation),
  ]

  /// Keeps the counts of a run's rows.
  init(name: String, revision: String?, rows: [SummaryRow]) {
    self.name = name
    self.revision = revision
    var perOperation: [Cell: [String: Double]] = [:]
    for row in rows {
      for (name, path, _) in Self.counts {
        if let value = row.perOperation(path) { perOperation[row.cell, default: [:]][name] = value }
      }
    }
    self.perOperation = perOperation
  }
}
