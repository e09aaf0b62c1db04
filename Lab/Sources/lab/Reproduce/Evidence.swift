import StorageContract
import StorageReport
import StorageRunFiles
import StorageStatistics

/// The rows of a run, as needed by shapes.
struct Evidence: Sendable {
  private let rows: [String: SummaryRow]

  /// Creates the evidence from the rows of a run.
  init(_ rows: [SummaryRow]) {
    self.rows = Dictionary(rows.map { ($0.cell.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The reason that a shape cannot be examined.
  struct Missing: Error {
    let reason: String
    /// Whether the run has the row, but the row failed.
    var isFailure = false
  }

  /// Returns a row by the name of its cell.
  ///
  /// - Throws: ``Missing`` if the run does not have the row, or has no figures for it.
  func row(_ name: String) throws -> SummaryRow {
    guard let row = rows[name] else { throw Missing(reason: "the run has no \(name)") }
    guard row.status == .ok else {
      throw Missing(reason: "\(name) is \(row.status.rawValue): \(row.note)", isFailure: row.status == .failed)
    }
    return row
  }

  /// Returns a count per operation.
  func count(_ name: String, _ path: KeyPath<Cost, Int?> & Sendable) throws -> Double {
    guard let count = try row(name).perOperation(path) else { throw Missing(reason: "\(name) was not counted") }
    return count
  }

  /// Returns a total of the cost pass.
  func total(_ name: String, _ path: KeyPath<Cost, Int?> & Sendable) throws -> Double {
    guard let total = try row(name).cost?[keyPath: path] else { throw Missing(reason: "\(name) was not counted") }
    return Double(total)
  }

  /// Returns the comparison of two rows, round by round.
  func slower(_ name: String, than other: String) throws -> RowComparison {
    let (head, base) = (try row(name), try row(other))
    guard let comparison = RowComparison(base: base, head: head) else {
      throw Missing(reason: "times are compared from \(MedianInterval.fewestValues) rounds on")
    }
    return comparison
  }

  /// Returns whether a row has enough rounds for a comparison.
  func isTimed(_ name: String) throws -> Bool { try row(name).rounds.count >= MedianInterval.fewestValues }

  /// Returns the exponent of the growth of bytes per save with the number of records.
  func slope(_ backend: String, sizes: [Int]) throws -> Double {
    let points = try sizes.map { size in
      (x: Double(size), y: try count("\(backend)/save-one/\(size)/shipped", \.bytesWrittenSettled))
    }
    guard let law = GrowthModel(power: points) else { throw Missing(reason: "\(backend) writes nothing") }
    return law.exponent
  }
}

extension RowComparison {
  /// The ratio and its interval: `3.1× (2.9-3.4)`.
  var text: String {
    guard let interval = ratio.interval else { return NumberFormat.ratio(ratio.ratio) }
    return NumberFormat.ratio(ratio.ratio, low: interval.low, high: interval.high)
  }
}
