/// What a cost trial counted: integer totals over ``countedOperations``. Nil means not measured.
public struct Cost: Sendable, Equatable {
  /// How many operations the counts are of.
  public var countedOperations: Int
  /// Logical bytes that the operations changed.
  public var bytesChanged: Int?
  /// Bytes written to the store up to the last acknowledgement.
  public var bytesWritten: Int?
  /// The same up to the close, with checkpoint and final check.
  public var bytesWrittenSettled: Int?
  /// Calls that wrote to the store.
  public var writeCalls: Int?
  /// Calls that made the disk flush, up to the last acknowledgement.
  public var syncs: Int?
  /// The same up to the close, with checkpoint and final check.
  public var syncsSettled: Int?
  /// Bytes read from the store; nil where it is mapped into memory.
  public var bytesRead: Int?
  /// Files opened up to the last acknowledgement.
  public var opens: Int?
  /// Files renamed up to the last acknowledgement.
  public var renames: Int?
  /// Blocks taken from malloc.
  public var allocations: Int?
  /// Bytes taken from malloc.
  public var allocatedBytes: Int?
  /// SQL statements run up to the last acknowledgement; nil where the engine takes none.
  public var statements: Int?
  /// Logical bytes of all records at the end.
  public var storedBytes: Int?
  /// Length of the store's files after close.
  public var fileBytes: Int?
  /// What the file system keeps for them.
  public var fileBytesAllocated: Int?
  /// Files and directories of the store after close, without the directory that it was given.
  public var inodes: Int?
  /// Highest anonymous resident memory above the start.
  public var peakAnonBytes: Int?
  /// Highest file-backed resident memory above the start.
  public var peakFileBytes: Int?
  /// Bytes written to anything but the store, over the same span as ``bytesWrittenSettled``.
  public var otherBytesWritten: Int?
  /// Calls of the same.
  public var otherWriteCalls: Int?
  /// Bytes written to the store and to anything else, as counted, up to the end.
  public var seenBytesWritten: Int?
  /// Calls of the same.
  public var seenWriteCalls: Int?
  /// The bytes as the kernel counted them for the process: the witness that no call was missed.
  public var processBytesWritten: Int?
  /// The calls as the kernel counted them.
  public var processWriteCalls: Int?
  /// Hash of the logical state after the fixture and the first operations; nil where it cannot be verified.
  public var digest: String?

  /// Creates a cost of nothing measured.
  public init(countedOperations: Int) { self.countedOperations = countedOperations }
}

extension Cost: Codable {
  /// A name in the file.
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

/// A count of a cost trial: what every file, gate and report knows of it.
///
/// A new count is a field of ``Cost``, a line of ``all``, and the place that counts it.
public struct Measure: Sendable {
  /// What it counts.
  public enum Unit: String, Sendable {
    /// Bytes.
    case bytes = "B"
    /// Calls of the kernel or the allocator, or statements.
    case calls = "call"
    /// Files and directories.
    case files = "file"
  }

  /// What it is a total of.
  public enum Extent: Sendable {
    /// The counted operations: reports divide it by their number.
    case operations
    /// The store or the process at the end.
    case end
    /// What was written elsewhere than into the store: in `trials.csv` only.
    case elsewhere
    /// A check of the counters: in the journal only.
    case check
  }

  /// Where its column stands in `summary.csv`, of which tools read columns by number: a new count goes to the end.
  public enum Group: Sendable {
    /// A column of the first version of the file.
    case first
    /// A column of the second version, after the times. No new count goes here.
    case later
    /// At the end: every new count.
    case last
  }

  /// Its name in the journal, in `trials.csv`, in rules and, with ``group``, in `summary.csv`.
  public let column: String
  /// Its name in `costs.csv`, in comparisons and after `--max-increase`; nil if it is not compared.
  public let comparedAs: String?
  /// Whether `costs.csv` has it, and with it `check`, `paired`, benchstat and Bencher.
  public let isCommitted: Bool
  /// What it counts.
  public let unit: Unit
  /// What it is a total of.
  public let extent: Extent
  /// The share by which it may grow unless the user says otherwise: 0.01 is 1 %.
  public let tolerance: Double
  /// Where its column stands.
  public let group: Group
  /// Whether the page shows it among the figures of a row.
  public let isOnPage: Bool
  /// Where a cost trial has it.
  public let path: WritableKeyPath<Cost, Int?> & Sendable

  private init(
    _ column: String, _ unit: Unit, _ path: WritableKeyPath<Cost, Int?> & Sendable, of extent: Extent = .operations,
    comparedAs: String? = nil, isCommitted: Bool = false, tolerance: Double = 0, group: Group = .last,
    isOnPage: Bool = false
  ) {
    self.column = column
    self.unit = unit
    self.path = path
    self.extent = extent
    self.comparedAs = comparedAs
    self.isCommitted = isCommitted
    self.tolerance = tolerance
    self.group = group
    self.isOnPage = isOnPage
  }

  /// All there are, in the order of the files.
  public static let all: [Measure] = [
    Measure("bytes_changed", .bytes, \.bytesChanged, group: .first),
    Measure("bytes_written", .bytes, \.bytesWritten, comparedAs: "bytes_written", group: .first),
    Measure(
      "bytes_written_settled", .bytes, \.bytesWrittenSettled, comparedAs: "bytes", isCommitted: true, group: .first,
      isOnPage: true),
    Measure(
      "write_calls", .calls, \.writeCalls, comparedAs: "writes", isCommitted: true, group: .first, isOnPage: true),
    Measure("syncs", .calls, \.syncs, comparedAs: "syncs_acknowledged", group: .first, isOnPage: true),
    Measure("syncs_settled", .calls, \.syncsSettled, comparedAs: "syncs", isCommitted: true, group: .first),
    Measure("bytes_read", .bytes, \.bytesRead, group: .first, isOnPage: true),
    Measure("opens", .calls, \.opens, comparedAs: "opens", group: .first),
    Measure("renames", .calls, \.renames, comparedAs: "renames", group: .first),
    // Hash tables grow at slightly different moments from process to process.
    Measure(
      "allocations", .calls, \.allocations, comparedAs: "allocations", isCommitted: true, tolerance: 0.01,
      group: .first, isOnPage: true),
    Measure("allocated_bytes", .bytes, \.allocatedBytes, group: .first),
    Measure("statements", .calls, \.statements, comparedAs: "statements", group: .later, isOnPage: true),
    Measure("stored_bytes", .bytes, \.storedBytes, of: .end, group: .first),
    Measure("file_bytes", .bytes, \.fileBytes, of: .end, comparedAs: "file_bytes", group: .first, isOnPage: true),
    Measure("file_bytes_allocated", .bytes, \.fileBytesAllocated, of: .end, group: .first),
    Measure("inodes", .files, \.inodes, of: .end, comparedAs: "inodes", group: .later, isOnPage: true),
    Measure("peak_anon_bytes", .bytes, \.peakAnonBytes, of: .end, group: .first, isOnPage: true),
    Measure("peak_file_bytes", .bytes, \.peakFileBytes, of: .end, group: .first, isOnPage: true),
    Measure("other_bytes_written", .bytes, \.otherBytesWritten, of: .elsewhere),
    Measure("other_write_calls", .calls, \.otherWriteCalls, of: .elsewhere),
    Measure("seen_bytes_written", .bytes, \.seenBytesWritten, of: .check),
    Measure("seen_write_calls", .calls, \.seenWriteCalls, of: .check),
    Measure("process_bytes_written", .bytes, \.processBytesWritten, of: .check),
    Measure("process_write_calls", .calls, \.processWriteCalls, of: .check),
  ]

  /// Those that `summary.csv` and rules have.
  public static let reported = all.filter { $0.extent == .operations || $0.extent == .end }

  /// What `costs.csv` holds, in its order.
  public static let committed = all.filter(\.isCommitted)

  /// What two runs are compared by: what `costs.csv` holds first.
  public static let compared = committed + all.filter { $0.comparedAs != nil && !$0.isCommitted }

  /// The name by which it is compared.
  public var name: String { comparedAs ?? column }

  /// `B`, `calls` or `files`, as comparisons say it.
  public var comparedUnit: String { unit == .bytes ? "B" : unit.rawValue + "s" }

  /// The least share by which a count may differ of a backend that says that its counts do not repeat exactly.
  public static let varyingTolerance = 0.1
}
