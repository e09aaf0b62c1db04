/// The counts of a cost pass, which is an untimed trial (a measuring process). Counts of work, such as system calls and
/// bytes written, are totals over ``countedOperations``. A count that was not measured is nil.
public struct Cost: Sendable, Equatable {
  /// The number of operations over which calls and bytes were counted.
  public var countedOperations: Int
  /// The size in bytes of the records that the counted operations changed, without the overhead of the engine. Nil for
  /// workloads that only read.
  public var bytesChanged: Int?
  /// The bytes written to the store from the first counted operation until the last one returned.
  public var bytesWritten: Int?
  /// The bytes written to the store from the first counted operation until the store was closed. This includes a last
  /// checkpoint and the final verification.
  public var bytesWrittenSettled: Int?
  /// The bytes written to the store's block device by the counted operations and a sync after them, with the file
  /// system's journal and metadata; nil without `run --device`.
  public var deviceBytes: Int?
  /// The number of calls that wrote to the store from the first counted operation until the last one returned.
  public var writeCalls: Int?
  /// The number of calls that made the disk flush, from the first counted operation until the last one returned.
  public var syncs: Int?
  /// The number of calls that made the disk flush, from the first counted operation until the store was closed. This
  /// includes a last checkpoint and the final verification.
  public var syncsSettled: Int?
  /// The bytes read from the store by calls, from the first counted operation until the last one returned. Nil if the
  /// store is mapped into memory.
  public var bytesRead: Int?
  /// The number of files opened from the first counted operation until the last one returned.
  public var opens: Int?
  /// The number of files that the counted operations renamed.
  public var renames: Int?
  /// The number of blocks that malloc allocated during the counted operations.
  public var allocations: Int?
  /// The number of bytes that malloc allocated during the counted operations.
  public var allocatedBytes: Int?
  /// The number of SQL statements run from the first counted operation until the last one returned. Nil if none was
  /// run, or if the engine has no SQL.
  public var statements: Int?
  /// The size in bytes of all records after the last operation, without the overhead of the engine.
  public var storedBytes: Int?
  /// The length of the store's files in bytes after the store was closed.
  public var fileBytes: Int?
  /// The bytes that the file system has allocated for the store's files after the store was closed. For a store in
  /// memory, a copy on the scratch disk is measured.
  public var fileBytesAllocated: Int?
  /// The number of files and directories below the store's directory after the store was closed.
  public var inodes: Int?
  /// The highest anonymous resident memory of the measuring process during the counted operations, in bytes above the
  /// memory before the first one.
  public var peakAnonBytes: Int?
  /// The highest file-backed resident memory of the measuring process during the counted operations, in bytes above the
  /// memory before the first one.
  public var peakFileBytes: Int?
  /// The bytes written to files outside the store, from the first counted operation until the store was closed.
  public var otherBytesWritten: Int?
  /// The number of calls that wrote to files outside the store, from the first counted operation until the store was
  /// closed.
  public var otherWriteCalls: Int?
  /// The bytes written inside and outside the store, as the suite saw them at each write call. They are counted from
  /// the first counted operation until the store was closed.
  public var seenBytesWritten: Int?
  /// The number of write calls inside and outside the store, as the suite saw them. They are counted from the first
  /// counted operation until the store was closed.
  public var seenWriteCalls: Int?
  /// The bytes that the process wrote from the first counted operation until the store was closed, as counted by the
  /// kernel. They equal ``seenBytesWritten`` if the suite missed no call.
  public var processBytesWritten: Int?
  /// The number of write calls of the process from the first counted operation until the store was closed, as counted
  /// by the kernel. It equals ``seenWriteCalls`` if the suite missed no call.
  public var processWriteCalls: Int?
  /// The hash of the store's content after the initial records and a few operations; nil if the content cannot be
  /// checked.
  public var digest: String?

  /// Creates counts of which only the number of operations is known. All other counts are nil, which means not
  /// measured.
  public init(countedOperations: Int) { self.countedOperations = countedOperations }
}

extension Cost: Codable {
  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
    static let operations = Name(stringValue: "counted_operations")
    static let digest = Name(stringValue: "digest")
  }

  public init(from decoder: any Decoder) throws {
    let object = try decoder.container(keyedBy: Name.self)
    self.init(countedOperations: try object.decode(Int.self, forKey: .operations))
    digest = try object.decodeIfPresent(String.self, forKey: .digest)
    for measure in Measure.all {
      self[keyPath: measure.path] = try object.decodeIfPresent(Int.self, forKey: Name(stringValue: measure.column))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: Name.self)
    try object.encode(countedOperations, forKey: .operations)
    try object.encodeIfPresent(digest, forKey: .digest)
    for measure in Measure.all {
      try object.encodeIfPresent(self[keyPath: measure.path], forKey: Name(stringValue: measure.column))
    }
  }
}

/// The description of one count of ``Cost``, such as its name and unit. A new count requires a field of ``Cost``, a
/// line of ``all``, and the code that counts it.
public struct Measure: Sendable {
  /// The unit of a count.
  public enum Unit: String, Sendable {
    /// The unit of sizes: bytes.
    case bytes = "B"
    /// The unit of system calls, allocator calls and SQL statements.
    case calls = "call"
    /// The unit of files and directories.
    case files = "file"
  }

  /// The part of a trial (a measuring process) to which a count refers, such as the counted operations or the end.
  public enum Extent: Sendable {
    /// The count refers to the counted operations. Reports divide the count by the number of operations.
    case operations
    /// The count refers to the store or the process at the end of the trial.
    case end
    /// The count refers to writes outside the store. Such counts are in `trials.csv`, but in no other table.
    case elsewhere
    /// The count is only in the journal `trials.jsonl`, where other counts are checked against it.
    case check
  }

  /// A group of columns in `summary.csv`. New columns must be at the end, because tools read columns by number.
  public enum Group: Sendable {
    /// A column of the first version of `summary.csv`.
    case first
    /// A column that version 2 of `summary.csv` added after the times. No new count goes here.
    case later
    /// A column at the end of `summary.csv`. Every new count goes here.
    case last
  }

  /// The name of the count in `trials.jsonl` and `trials.csv`. The counts of ``reported`` have a column of this name in
  /// `summary.csv`, too.
  public let column: String
  /// The name of the count in `costs.csv`, comparisons and `--max-increase`; nil if comparisons of runs omit the count.
  public let comparedAs: String?
  /// Whether the count is in `costs.csv`, the file of expected counts that is committed with the code. If so, the
  /// commands `check` and `paired` and the exports for benchstat and Bencher have the count, too.
  public let isCommitted: Bool
  /// The unit of the count, such as bytes.
  public let unit: Unit
  /// The part of the trial to which the count refers, such as the counted operations.
  public let extent: Extent
  /// The default share by which the count may grow between two runs without being a regression: 0.01 is 1 %.
  public let tolerance: Double
  /// The group of columns in `summary.csv` to which the count's column belongs.
  public let group: Group
  /// The field of a ``Cost`` that holds the count.
  public let path: WritableKeyPath<Cost, Int?> & Sendable

  private init(
    _ column: String, _ unit: Unit, _ path: WritableKeyPath<Cost, Int?> & Sendable, of extent: Extent = .operations,
    comparedAs: String? = nil, isCommitted: Bool = false, tolerance: Double = 0, group: Group = .last
  ) {
    self.column = column
    self.unit = unit
    self.path = path
    self.extent = extent
    self.comparedAs = comparedAs
    self.isCommitted = isCommitted
    self.tolerance = tolerance
    self.group = group
  }

  /// All counts, in the order of their columns in a run's files.
  public static let all: [Measure] = [
    Measure("bytes_changed", .bytes, \.bytesChanged, group: .first),
    Measure("bytes_written", .bytes, \.bytesWritten, comparedAs: "bytes_written", group: .first),
    Measure(
      "bytes_written_settled", .bytes, \.bytesWrittenSettled, comparedAs: "bytes", isCommitted: true, group: .first),
    Measure("write_calls", .calls, \.writeCalls, comparedAs: "writes", isCommitted: true, group: .first),
    Measure("syncs", .calls, \.syncs, comparedAs: "syncs_acknowledged", group: .first),
    Measure("syncs_settled", .calls, \.syncsSettled, comparedAs: "syncs", isCommitted: true, group: .first),
    Measure("bytes_read", .bytes, \.bytesRead, group: .first),
    Measure("opens", .calls, \.opens, comparedAs: "opens", group: .first),
    Measure("renames", .calls, \.renames, comparedAs: "renames", group: .first),
    // Hash tables grow at slightly different moments from process to process, so the allocations vary.
    Measure(
      "allocations", .calls, \.allocations, comparedAs: "allocations", isCommitted: true, tolerance: 0.01,
      group: .first),
    Measure("allocated_bytes", .bytes, \.allocatedBytes, group: .first),
    Measure("statements", .calls, \.statements, comparedAs: "statements", group: .later),
    Measure("stored_bytes", .bytes, \.storedBytes, of: .end, group: .first),
    Measure("file_bytes", .bytes, \.fileBytes, of: .end, comparedAs: "file_bytes", group: .first),
    Measure("file_bytes_allocated", .bytes, \.fileBytesAllocated, of: .end, group: .first),
    Measure("inodes", .files, \.inodes, of: .end, comparedAs: "inodes", group: .later),
    Measure("peak_anon_bytes", .bytes, \.peakAnonBytes, of: .end, group: .first),
    Measure("peak_file_bytes", .bytes, \.peakFileBytes, of: .end, group: .first),
    Measure("other_bytes_written", .bytes, \.otherBytesWritten, of: .elsewhere),
    Measure("other_write_calls", .calls, \.otherWriteCalls, of: .elsewhere),
    Measure("device_bytes", .bytes, \.deviceBytes),
    Measure("seen_bytes_written", .bytes, \.seenBytesWritten, of: .check),
    Measure("seen_write_calls", .calls, \.seenWriteCalls, of: .check),
    Measure("process_bytes_written", .bytes, \.processBytesWritten, of: .check),
    Measure("process_write_calls", .calls, \.processWriteCalls, of: .check),
  ]

  /// The counts that have a column in `summary.csv`: those of the operations, and those at the end of the trial.
  public static let reported = all.filter { $0.extent == .operations || $0.extent == .end }

  /// The counts in `costs.csv`, a file of expected counts committed with the code, in the order of its columns.
  public static let committed = all.filter(\.isCommitted)

  /// The counts by which two runs are compared. The counts in `costs.csv` come first.
  public static let compared = committed + all.filter { $0.comparedAs != nil && !$0.isCommitted }

  /// The name of the count in comparisons of two runs.
  public var name: String { comparedAs ?? column }

  /// The unit of the count in comparisons of two runs: `B`, `calls` or `files`.
  public var comparedUnit: String { unit == .bytes ? "B" : unit.rawValue + "s" }

  /// The minimum tolerance for the counts of a backend that do not repeat exactly. It is the share by which a count may
  /// grow between two runs without being a regression: 0.1 is 10 %.
  public static let varyingTolerance = 0.1
}

/// A quotient of two counts of a trial (a measuring process), such as bytes written per byte changed.
public struct CountRatio: Sendable {
  /// The name of the quotient in the rules of the command `check`, such as `amplification`.
  public let name: String
  /// The function that computes the quotient. It returns nil if a count was not measured or the divisor is 0.
  public let value: @Sendable (Cost) -> Double?

  /// The write amplification: the bytes written until the store was closed, divided by the bytes changed.
  public static let amplification = CountRatio(name: "amplification") { cost in
    quotient(cost.bytesWrittenSettled, cost.bytesChanged)
  }

  /// The share of the store that one operation rewrites: bytes written per operation, divided by the files' length.
  public static let rewriteShare = CountRatio(name: "rewrite_share") { cost in
    quotient(cost.bytesWrittenSettled, cost.fileBytes).map { $0 / Double(max(1, cost.countedOperations)) }
  }

  /// All quotients of two counts that the rules of the command `check` can name.
  public static let all = [amplification, rewriteShare]

  private static func quotient(_ count: Int?, _ divisor: Int?) -> Double? {
    guard let count, let divisor, divisor > 0 else { return nil }
    return Double(count) / Double(divisor)
  }
}
