import StorageContract

/// Two ways to do the same work, such as a scan and a lookup, whose times are compared.
///
/// Every report shows the pair with the ratio of its times, if the run has a result for each way and the results differ
/// in nothing else. The option `--profile pairs` of the command `run` measures only such pairs.
public struct RowPair: Sendable, Equatable {
  /// One of the two ways to do the work: a backend and a workload, each with its options. `*` stands for the backend or
  /// workload of the other way.
  public struct Way: Sendable, Equatable {
    /// The backend with its options, as on the command line, or `*` if both ways to do the work have the same backend.
    public var backend: String
    /// The workload with its options, as on the command line, or `*` if both ways to do the work have the same
    /// workload.
    public var workload: String

    /// Parses a way from text with its backend and its workload, such as `sqlite:statements=fresh/*`. `*` stands for
    /// that of the other way.
    init(_ text: String) {
      let parts = text.split(separator: "/", maxSplits: 1).map(String.init)
      backend = parts[0]
      workload = parts.count > 1 ? parts[1] : "*"
    }

    func takes(_ cell: Cell) -> Bool {
      (backend == "*" || backend == cell.backend.description)
        && (workload == "*" || workload == cell.workload.description)
    }

    func cell(like other: Cell) -> Cell {
      var cell = other
      if backend != "*" { cell.backend = Spec(verbatim: backend) }
      if workload != "*" { cell.workload = Spec(verbatim: workload) }
      return cell
    }
  }

  /// A number of records at which the benchmark profile `pairs` measures two ways to do the same work.
  public struct Size: Sendable, Equatable {
    /// The number of records in the store.
    public var records: Int
    /// The backends to measure, separated by commas, if both ways have `*` as backend. Nil for the backends that the
    /// profile usually measures.
    public var backends: String?

    static func records(_ records: Int, on backends: String? = nil) -> Size {
      Size(records: records, backends: backends)
    }
  }

  /// The title of the pair. It names the slower way first, such as `statements prepared anew against cached`.
  public let title: String
  /// Of the two ways, the one that is expected to take longer.
  public let slower: Way
  /// Of the two ways, the one that is expected to take less time.
  public let faster: Way
  /// The workloads with which the benchmark profile `pairs` measures the pair, if both ways have `*` as workload.
  public let workloads: String
  /// The numbers of records at which the benchmark profile `pairs` measures the pair.
  public let sizes: [Size]

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

/// Two results of a run that do the same work in two ways, such as a scan and a lookup. They differ in nothing else.
public struct RowPairing: Sendable {
  /// The definition of the pair: its title, and the two ways of doing the same work.
  public let pair: RowPair
  /// The measured result of ``RowPair/slower``, the way that is expected to take longer.
  public let slower: SummaryRow
  /// The measured result of ``RowPair/faster``, the way that is expected to take less time.
  public let faster: SummaryRow

  /// Returns all pairs of results in a run, in the order of ``RowPairs/all``.
  public static func all(in rows: [SummaryRow]) -> [RowPairing] {
    let rowOf = Dictionary(rows.map { ($0.cell, $0) }, uniquingKeysWith: { first, _ in first })
    return RowPairs.all.flatMap { pair in
      rows.compactMap { row in
        guard pair.slower.takes(row.cell), let faster = rowOf[pair.faster.cell(like: row.cell)], faster.cell != row.cell
        else { return nil }
        return RowPairing(pair: pair, slower: row, faster: faster)
      }
    }
  }

  /// Whether the two results can be compared: both were measured, on one machine.
  public var isComparable: Bool { slower.status == .ok && faster.status == .ok && slower.machine == faster.machine }

  /// The comparison of the times of both results. Its ratio is the factor by which ``slower`` takes longer than
  /// ``faster``. Nil if fewer than six rounds (repetitions) have both results.
  public var comparison: RowComparison? { isComparable ? RowComparison(base: faster, head: slower) : nil }

  /// The factor by which ``slower`` takes longer than ``faster``, as text: `3.1× (2.9-3.4)`. With too few rounds
  /// (repetitions) it is the ratio of the medians, without an interval. Nil if a result has no time.
  public var ratio: String? {
    guard isComparable else { return nil }
    if let comparison { return Phrases.factor(comparison.ratio) }
    guard let time = slower.typicalTime, let other = faster.typicalTime, other > 0 else { return nil }
    return NumberFormat.ratio(time / other)
  }

  /// The properties that the two results share, as text. An example is `sqlite, save-one, 1,000 records, durable`.
  public var sharedWords: String {
    var parts: [String] = []
    // If the two backends differ only in options, the shared name of the backend has no options.
    if slower.cell.backend == faster.cell.backend {
      parts.append(Phrases.name(slower))
    } else if slower.cell.backend.id == faster.cell.backend.id {
      parts.append(Phrases.name(Spec(id: slower.cell.backend.id), like: slower))
    }
    if slower.cell.workload == faster.cell.workload {
      parts.append("\(slower.cell.workload)")
    } else if slower.cell.workload.id == faster.cell.workload.id {
      parts.append(slower.cell.workload.id)
    }
    parts.append("\(Quantity.grouped(slower.cell.records)) \(slower.cell.records == 1 ? "record" : "records")")
    parts += slower.cell.conditionWords
    if let durability = slower.cell.durability { parts.append(durability.rawValue) }
    return parts.joined(separator: ", ")
  }

  /// Returns the properties in which the result `row` differs from the result `other`, as text such as
  /// `sqlite:statements=fresh`.
  static func way(_ row: SummaryRow, against other: SummaryRow) -> String {
    var parts: [String] = []
    if row.cell.backend != other.cell.backend { parts.append(Phrases.name(row)) }
    if row.cell.workload != other.cell.workload { parts.append("\(row.cell.workload)") }
    return parts.joined(separator: " ")
  }
}

/// The pairs of ways to do the same work, such as a scan and a lookup, whose time ratios reports print.
public enum RowPairs {
  /// All pairs that reports show, in the order of reports.
  public static let all = usual + tuning

  /// The pairs that the benchmark profile `pairs` measures. A new pair needs a title, the slower way, the faster way,
  /// and sizes.
  public static let usual: [RowPair] = [
    RowPair(
      "a transaction for each of 4 lines against one for all", "*/four-lines:commits=each", "*/four-lines",
      at: .records(4)),
    RowPair("a transaction for each row against one for all", "*/import:batch=1", "*/import", at: .records(4)),
    RowPair("a country found by reading all against by its key", "*/country-crud", "*/country-crud:lookup=key"),
    RowPair(
      "objects added up in the app against sums in the store", "*/aggregate:where=app", "*/aggregate",
      at: .records(1_000), .records(10_000, on: indexed)),
    RowPair(
      "a name found by reading all against by an index", "*/find-name", "*/find-name:index=yes",
      at: .records(1_000, on: indexed), .records(10_000, on: indexed)),
    RowPair(
      "a tenth found by reading all against by an index", "*/find-range:select=10%",
      "*/find-range:select=10%:index=yes",
      at: .records(1_000, on: indexed)),
    RowPair(
      "a screen of a list sorted for it against by an index", "*/page-sorted", "*/page-sorted:index=yes",
      at: .records(1_000, on: indexed)),
    RowPair(
      "a value of 1 MB in its record against in a file beside", "*/value-size:bytes=1M",
      "*/value-size:bytes=1M:place=beside", at: .records(100, on: "plist,sqlite,lmdb")),
    RowPair("the connection opened for each operation against kept", "sqlite:connection=per-operation/*", "sqlite/*"),
    RowPair("statements prepared anew against cached", "sqlite:statements=fresh/*", "sqlite/*"),
    RowPair("the file decoded in each operation against resident", "plist:resident=no/*", "plist/*"),
    RowPair(
      "the file decoded in each operation against resident", "archive:resident=no/*", "archive/*", at: .records(100)),
    RowPair(
      "rows decoded by Codable against column by column", "sqlite-queue:decode=codable/*", "sqlite-queue/*",
      workloads: "load-all,read-one"),
    RowPair(
      "a new write-ahead log against one that was full once", "sqlite:journal=wal:log=fresh/*", "sqlite:journal=wal/*"),
    RowPair("a rollback journal against a write-ahead log", "sqlite:journal=delete/*", "sqlite:journal=wal/*"),
    RowPair(
      "UserDefaults synchronized at each save against never, so that all is lost with the process",
      "defaults/*", "defaults:synchronize=no/*"),
    RowPair(
      "blobs in pages of 4 kB against 16 kB", "sqlite/*", "sqlite:page=16384/*",
      workloads: "value-size:bytes=100k,value-size:bytes=100k:do=read", at: .records(100)),
    RowPair(
      "blobs read by calls against through a memory map", "sqlite/*", "sqlite:mmap=256MiB/*",
      workloads: "value-size:bytes=100k:do=read", at: .records(100)),
  ]

  /// The pairs that the benchmark profile `tuning` measures. One way is SQLite with a write-ahead log, the other is the
  /// same with one changed setting. Tuning guides recommend the change, so it is listed as the faster way.
  public static let tuning: [RowPair] = [
    tuned("pages of 4 kB against 8 kB", "page=8192", "\(tunedWorkloads),load-all"),
    tuned("pages of 4 kB against 16 kB in a write-ahead log", "page=16384", "\(tunedWorkloads),load-all"),
    tuned("the library's page cache against 64 MB", "cache=64MB", "\(tunedWorkloads),load-all"),
    tuned("reads by calls against through a memory map of 256 MB", "mmap=256MiB", "\(tunedWorkloads),load-all"),
    tuned("sorts in files against in memory", "temp=memory", "page-sorted,reclaim"),
    tuned("a table with rowids against one without", "rowid=no", "\(tunedWorkloads),load-all,import"),
    tuned("a checkpoint each 1,000 pages against 10,000", "autocheckpoint=10000", "save-one,import"),
    tuned("secure deletion as compiled against none", "secure-delete=off", "save-one,delete-one,purge"),
  ]

  private static let tunedWorkloads = "save-one,delete-one,read-one"

  private static func tuned(_ title: String, _ option: String, _ workloads: String) -> RowPair {
    RowPair(
      title, "sqlite:journal=wal/*", "sqlite:journal=wal:\(option)/*", workloads: workloads,
      at: .records(10_000), .records(100_000))
  }

  private static let indexed = "sqlite,sqlite-queue,object-graph"
}
