import StorageContract

/// Two ways to do one thing that a run is asked to hold against each other, such as a scan against a lookup.
///
/// Wherever a run has both rows, and they differ in nothing else, every report prints the pair with its ratio. The
/// profile `pairs` runs just these.
public struct RowPair: Sendable, Equatable {
  /// One of the two ways: a backend and a workload, each with its options, or `*` for any, the same on both sides.
  public struct Way: Sendable, Equatable {
    /// The backend, as on the command line.
    public var backend: String
    /// The workload, as on the command line.
    public var workload: String

    /// Reads `sqlite:statements=fresh/*`.
    init(_ text: String) {
      let parts = text.split(separator: "/", maxSplits: 1).map(String.init)
      backend = parts[0]
      workload = parts.count > 1 ? parts[1] : "*"
    }

    /// Whether a cell goes this way.
    func takes(_ cell: Cell) -> Bool {
      (backend == "*" || backend == cell.backend.description)
        && (workload == "*" || workload == cell.workload.description)
    }

    /// The cell of this way that differs in nothing else from one that goes the other way.
    func cell(like other: Cell) -> Cell {
      var cell = other
      if backend != "*" { cell.backend = Spec(verbatim: backend) }
      if workload != "*" { cell.workload = Spec(verbatim: workload) }
      return cell
    }
  }

  /// What is held against what, the dearer way first: `statements prepared anew against cached`.
  public let title: String
  /// The way that is expected to cost more.
  public let dear: Way
  /// The way that is expected to cost less.
  public let cheap: Way
  /// What the profile `pairs` runs where a way leaves the workload open.
  public let workloads: String
  /// What it runs where a way leaves the backend open; nil for the usual ones.
  public let backends: String?
  /// N in that profile.
  public let records: Int

  /// Declares a pair.
  init(
    _ title: String, _ dear: String, _ cheap: String, workloads: String = "save-one,read-one",
    on backends: String? = nil,
    at records: Int = 1_000
  ) {
    self.title = title
    self.dear = Way(dear)
    self.cheap = Way(cheap)
    self.workloads = workloads
    self.backends = backends
    self.records = records
  }
}

/// The two rows of a pair, as a run has them.
public struct RowPairing: Sendable {
  /// What is compared.
  public let pair: RowPair
  /// The row of the way that is expected to cost more.
  public let dear: SummaryRow
  /// The row of the other way.
  public let cheap: SummaryRow

  /// The pairs of a run, in the order of ``RowPairs/all``, then in that of the rows.
  public static func all(in rows: [SummaryRow]) -> [RowPairing] {
    let rowOf = Dictionary(rows.map { ($0.cell, $0) }, uniquingKeysWith: { first, _ in first })
    return RowPairs.all.flatMap { pair in
      rows.compactMap { row in
        guard pair.dear.takes(row.cell), let cheap = rowOf[pair.cheap.cell(like: row.cell)], cheap.cell != row.cell
        else { return nil }
        return RowPairing(pair: pair, dear: row, cheap: cheap)
      }
    }
  }

  /// Whether both can be compared: they were run, on one machine.
  public var isComparable: Bool {
    dear.status == .ok && cheap.status == .ok && dear.machine == cheap.machine
  }

  /// By which factor the dear way takes longer, round by round, with its interval; nil below six rounds in common.
  public var comparison: RowComparison? { isComparable ? RowComparison(base: cheap, head: dear) : nil }

  /// ``comparison``'s factor, or where there are too few rounds that of the medians; nil where one was not timed.
  public var ratio: String? {
    guard isComparable else { return nil }
    if let comparison { return Phrases.factor(comparison.ratio) }
    guard let time = dear.typicalTime, let other = cheap.typicalTime, other > 0 else { return nil }
    return NumberFormat.ratio(time / other)
  }

  /// `sqlite, save-one, 1,000 records, durable`: what the two rows share.
  public var place: String {
    var parts: [String] = []
    // What differs in its options stands without them.
    if dear.cell.backend == cheap.cell.backend {
      parts.append(Phrases.name(dear))
    } else if dear.cell.backend.id == cheap.cell.backend.id {
      parts.append(Phrases.name(Spec(id: dear.cell.backend.id), isLookalike: dear.fidelity == .lookalike))
    }
    if dear.cell.workload == cheap.cell.workload {
      parts.append("\(dear.cell.workload)")
    } else if dear.cell.workload.id == cheap.cell.workload.id {
      parts.append(dear.cell.workload.id)
    }
    parts.append("\(Quantity.grouped(dear.cell.records)) \(dear.cell.records == 1 ? "record" : "records")")
    if dear.cell.recordBytes != 100 { parts.append("\(Quantity.grouped(dear.cell.recordBytes)) bytes") }
    if dear.cell.threads != 1 { parts.append("\(dear.cell.threads) threads") }
    if dear.cell.cache == .cold { parts.append("cold") }
    if let durability = dear.cell.durability { parts.append(durability.rawValue) }
    return parts.joined(separator: ", ")
  }

  /// What only one of the rows has: `sqlite:statements=fresh`.
  static func way(_ row: SummaryRow, against other: SummaryRow) -> String {
    var parts: [String] = []
    if row.cell.backend != other.cell.backend { parts.append(Phrases.name(row)) }
    if row.cell.workload != other.cell.workload { parts.append("\(row.cell.workload)") }
    return parts.joined(separator: " ")
  }
}
