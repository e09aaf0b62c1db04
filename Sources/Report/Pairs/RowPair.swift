import StorageContract

/// Two ways to do one thing that are compared wherever a run has both, such as a scan against a lookup.
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

  /// A number of records at which the profile `pairs` runs a pair.
  public struct Size: Sendable, Equatable {
    /// N.
    public var records: Int
    /// What it is run on where a way leaves the backend open; nil for the usual backends.
    public var backends: String?

    /// At a number of records.
    static func records(_ records: Int, on backends: String? = nil) -> Size {
      Size(records: records, backends: backends)
    }
  }

  /// What is compared with what, the slower way first: `statements prepared anew against cached`.
  public let title: String
  /// The way that is expected to take longer.
  public let slower: Way
  /// The way that is expected to take less time.
  public let faster: Way
  /// What the profile `pairs` runs where a way leaves the workload open.
  public let workloads: String
  /// Where that profile runs it.
  public let sizes: [Size]

  /// Declares a pair.
  init(
    _ title: String, _ slower: String, _ faster: String, workloads: String = "save-one,read-one",
    at sizes: Size...
  ) {
    self.title = title
    self.slower = Way(slower)
    self.faster = Way(faster)
    self.workloads = workloads
    self.sizes = sizes.isEmpty ? [.records(1_000)] : sizes
  }
}
