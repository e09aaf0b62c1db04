import StorageContract

/// Two ways to do the same work, such as a search without and with an index. A report shows the ratio of their times.
public struct RowPair: Sendable, Equatable {
  /// A backend and a workload, each with its options. The text `*` stands for any backend or workload.
  public struct Way: Sendable, Equatable {
    /// The backend with its options, such as `sqlite:page=16384`. The text `*` stands for any backend.
    public var backend: String
    /// The workload with its options, such as `import:batch=1`. The text `*` stands for any workload.
    public var workload: String

    /// Parses a backend and a workload from a text such as `sqlite:statements=fresh/*`. The text `*` stands for any.
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

  /// A store size at which two ways to do the same work are measured, with the measured backends.
  public struct Size: Sendable, Equatable {
    /// The number of records in the store.
    public var records: Int
    /// The backends to measure for a way whose backend is `*`, separated by commas, such as `plist,sqlite`. Nil for the
    /// default backends.
    public var backends: String?

    static func records(_ records: Int, on backends: String? = nil) -> Size {
      Size(records: records, backends: backends)
    }
  }

  /// The title of a pair of ways to do the same work, the slower way first: `statements prepared anew against cached`.
  public let title: String
  /// The presumably slower way to do the work, such as a search without an index.
  public let slower: Way
  /// The presumably faster way to do the work, such as a search with an index.
  public let faster: Way
  /// The workloads to measure for a way whose workload is `*`, separated by commas, such as `save-one,read-one`.
  public let workloads: String
  /// The numbers of records with which the two ways to do the same work are measured.
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

/// Two results of a run that differ only in the way to do the same work, such as a search without and with an index.
public struct RowPairing: Sendable {
  /// The two compared ways to do the same work, with a title.
  public let pair: RowPair
  /// The result of the presumably slower way to do the work, such as a search without an index.
  public let slower: SummaryRow
  /// The result of the presumably faster way to do the work, such as a search with an index.
  public let faster: SummaryRow

  /// Returns the pairs of results of two ways to do the same work, in the order of ``RowPairs/all``.
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

  /// Whether the two results can be compared: both were measured, and on the same machine.
  public var isComparable: Bool { slower.status == .ok && faster.status == .ok && slower.machine == faster.machine }

  /// The comparison of the two times. Nil for disturbed or incomparable results, and for too few common rounds
  /// (repetitions).
  public var comparison: RowComparison? { isComparable ? RowComparison(base: faster, head: slower) : nil }

  /// The factor by which ``slower`` takes longer than ``faster``, as text: `3.1× (2.9-3.4)`. Nil if the results cannot
  /// be compared.
  public var ratio: String? { isComparable ? Phrases.slowdown(base: faster, head: slower) : nil }

  /// The properties that the two results share, as text: `sqlite, save-one, 1,000 records, durable`.
  public var sharedWords: String {
    // The shared name of two backends or workloads has no options if these differ in options only.
    func shared(_ one: Spec, _ other: Spec) -> Spec? {
      one == other ? one : one.id == other.id ? Spec(id: one.id) : nil
    }
    let (one, other) = (slower.cell, faster.cell)
    let parts = [
      shared(one.backend, other.backend).map { Phrases.name($0, like: slower) },
      shared(one.workload, other.workload)?.description, Quantity.counted(one.records, "record"),
    ]
    return (parts.compactMap { $0 } + one.conditionWords + [one.durability?.rawValue].compactMap { $0 })
      .joined(separator: ", ")
  }

  /// Returns the backend and the workload of `row` as text. A backend or workload that is equal in `other` is omitted.
  static func way(_ row: SummaryRow, against other: SummaryRow) -> String {
    [
      row.cell.backend == other.cell.backend ? nil : Phrases.name(row),
      row.cell.workload == other.cell.workload ? nil : "\(row.cell.workload)",
    ].compactMap { $0 }.joined(separator: " ")
  }
}

/// The pairs of ways to do the same work, such as a search without and with an index, that reports compare.
public enum RowPairs {
  /// All pairs of ways to do the same work, in the order in which reports show the pairs.
  public static let all = usual + tuning

  /// The pairs of ways to do the same work that the benchmark profile `pairs` measures.
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

  /// The pairs of SQLite configurations that the benchmark profile `tuning` measures. The second configuration should
  /// be faster.
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
