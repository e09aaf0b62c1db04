import StorageContract
import StorageReport
import StorageRunFiles
import StorageStatistics

/// The rows of a run, as shapes ask for them.
struct Evidence: Sendable {
  private let rows: [String: SummaryRow]

  /// Takes the rows of a run.
  init(_ rows: [SummaryRow]) {
    self.rows = Dictionary(rows.map { ($0.cell.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Why a shape cannot be looked for.
  struct Missing: Error {
    let reason: String
    /// Whether the run was to show it, and failed.
    var isFailure = false
  }

  /// A row by its cell's name.
  ///
  /// - Throws: ``Missing`` if the run does not have it, or has no figures of it.
  func row(_ name: String) throws -> SummaryRow {
    guard let row = rows[name] else { throw Missing(reason: "the run has no \(name)") }
    guard row.status == .ok else {
      throw Missing(reason: "\(name) is \(row.status.rawValue): \(row.note)", isFailure: row.status == .failed)
    }
    return row
  }

  /// A count per operation.
  func count(_ name: String, _ path: KeyPath<Cost, Int?> & Sendable) throws -> Double {
    guard let count = try row(name).perOperation(path) else { throw Missing(reason: "\(name) was not counted") }
    return count
  }

  /// A figure of the cost pass.
  func total(_ name: String, _ path: KeyPath<Cost, Int?> & Sendable) throws -> Double {
    guard let total = try row(name).cost?[keyPath: path] else { throw Missing(reason: "\(name) was not counted") }
    return Double(total)
  }

  /// By which factor one row is slower than another, round by round.
  func slower(_ name: String, than other: String) throws -> RowComparison {
    let (head, base) = (try row(name), try row(other))
    guard let comparison = RowComparison(base: base, head: head) else {
      throw Missing(reason: "times are compared from \(MedianInterval.fewestValues) rounds on")
    }
    return comparison
  }

  /// Whether a row has rounds enough to be compared.
  func isTimed(_ name: String) throws -> Bool { try row(name).rounds.count >= MedianInterval.fewestValues }

  /// The exponent with which bytes per save grow with the number of records.
  func slope(_ backend: String, sizes: [Int]) throws -> Double {
    let points = try sizes.map { size in
      (x: Double(size), y: try count("\(backend)/save-one/\(size)/shipped", \.bytesWrittenSettled))
    }
    guard let fit = PowerFit(points) else { throw Missing(reason: "\(backend) writes nothing") }
    return fit.slope
  }

  /// What a body finds, or that the run does not have what it takes. What has failed is not found: nothing passes for
  /// lack of figures that were asked for.
  static func looking(_ body: () throws -> Reproduction) -> Reproduction {
    do { return try body() } catch let missing as Missing {
      return missing.isFailure ? .notFound(missing.reason) : .notAsked(missing.reason)
    } catch { return .notAsked("\(error)") }
  }
}

extension RowComparison {
  /// `3.1x (2.9-3.4)`.
  var text: String {
    guard let interval = ratio.interval else { return NumberFormat.ratio(ratio.ratio) }
    return NumberFormat.ratio(ratio.ratio, low: interval.low, high: interval.high)
  }
}
