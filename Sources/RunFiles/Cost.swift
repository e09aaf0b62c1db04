/// The counts of a cost trial: integer totals over ``countedOperations``. Nil means not measured.
public struct Cost: Sendable, Equatable {
  /// The number of counted operations.
  public var countedOperations: Int
  /// Logical bytes that the operations changed.
  public var bytesChanged: Int?
  /// Bytes written to the store up to the last acknowledgement.
  public var bytesWritten: Int?
  /// Bytes written to the store up to the close, including checkpoint and final check.
  public var bytesWrittenSettled: Int?
  /// Calls that wrote to the store.
  public var writeCalls: Int?
  /// Calls that made the disk flush, up to the last acknowledgement.
  public var syncs: Int?
  /// Calls that made the disk flush, up to the close, including checkpoint and final check.
  public var syncsSettled: Int?
  /// Bytes read from the store; nil if it is mapped into memory.
  public var bytesRead: Int?
  /// Files opened up to the last acknowledgement.
  public var opens: Int?
  /// Files renamed up to the last acknowledgement.
  public var renames: Int?
  /// Blocks allocated by malloc.
  public var allocations: Int?
  /// Bytes allocated by malloc.
  public var allocatedBytes: Int?
  /// SQL statements run up to the last acknowledgement; nil if the engine has none.
  public var statements: Int?
  /// Logical bytes of all records at the end.
  public var storedBytes: Int?
  /// Length of the store's files after close.
  public var fileBytes: Int?
  /// Bytes that the file system allocates for the store's files.
  public var fileBytesAllocated: Int?
  /// Files and directories of the store after close, excluding the directory that it was given.
  public var inodes: Int?
  /// Highest anonymous resident memory above the start.
  public var peakAnonBytes: Int?
  /// Highest file-backed resident memory above the start.
  public var peakFileBytes: Int?
  /// Bytes written outside the store, over the same span as ``bytesWrittenSettled``.
  public var otherBytesWritten: Int?
  /// Write calls outside the store, over the same span.
  public var otherWriteCalls: Int?
  /// Bytes written to the store and elsewhere, as counted, up to the end.
  public var seenBytesWritten: Int?
  /// Write calls to the store and elsewhere, as counted, up to the end.
  public var seenWriteCalls: Int?
  /// Bytes written by the process, as counted by the kernel. They confirm that no call was missed.
  public var processBytesWritten: Int?
  /// Write calls of the process, as counted by the kernel.
  public var processWriteCalls: Int?
  /// Hash of the logical state after the fixture and the first operations; nil if it cannot be verified.
  public var digest: String?

  /// Creates a cost without any measurements.
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

/// The metadata of one count of a cost trial, for all files, gates and reports.
///
/// A new count requires a field of ``Cost``, a line of ``all``, and the code that counts it.
public struct Measure: Sendable {
  /// The unit of a count.
  public enum Unit: String, Sendable {
    /// Bytes.
    case bytes = "B"
    /// Calls of the kernel or the allocator, or statements.
    case calls = "call"
    /// Files and directories.
    case files = "file"
  }

  /// The extent of a count.
  public enum Extent: Sendable {
    /// The counted operations. Reports divide the total by their number.
    case operations
    /// The store or the process at the end.
    case end
    /// Writes outside the store. Only `trials.csv` has them.
    case elsewhere
    /// A check of the counters. Only the journal has it.
    case check
  }

  /// The position of the column in `summary.csv`. Tools read its columns by number, so new counts go to the end.
  public enum Group: Sendable {
    /// A column of the first version of the file.
    case first
    /// A column of the second version, after the times. New counts do not go here.
    case later
    /// A column at the end. Every new count goes here.
    case last
  }

  /// The name of the count in the journal, in `trials.csv`, in rules and, depending on ``group``, in `summary.csv`.
  public let column: String
  /// The name of the count in `costs.csv`, in comparisons and after `--max-increase`; nil if it is not compared.
  public let comparedAs: String?
  /// Whether `costs.csv` has the count, and therefore also `check`, `paired`, benchstat and Bencher.
  public let isCommitted: Bool
  /// The unit of the count.
  public let unit: Unit
  /// The extent of the count.
  public let extent: Extent
  /// The default share by which the count may grow: 0.01 is 1 %.
  public let tolerance: Double
  /// The position of the count's column.
  public let group: Group
  /// The field of the count in a cost.
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

  /// All counts, in the order of the files.
  public static let all: [Measure] = [
    Measure("bytes_changed", .bytes, \.bytesChanged, group: .first),
    Measure("bytes_written", .bytes, \.bytesWritten, comparedAs: "bytes_written", group: .first),
    Measure(
      "bytes_written_settled", .bytes, \.bytesWrittenSettled, comparedAs: "bytes", isCommitted: true, group: .first),
    Measure(
      "write_calls", .calls, \.writeCalls, comparedAs: "writes", isCommitted: true, group: .first),
    Measure("syncs", .calls, \.syncs, comparedAs: "syncs_acknowledged", group: .first),
    Measure("syncs_settled", .calls, \.syncsSettled, comparedAs: "syncs", isCommitted: true, group: .first),
    Measure("bytes_read", .bytes, \.bytesRead, group: .first),
    Measure("opens", .calls, \.opens, comparedAs: "opens", group: .first),
    Measure("renames", .calls, \.renames, comparedAs: "renames", group: .first),
    // Hash tables grow at slightly different moments from process to process.
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
    Measure("seen_bytes_written", .bytes, \.seenBytesWritten, of: .check),
    Measure("seen_write_calls", .calls, \.seenWriteCalls, of: .check),
    Measure("process_bytes_written", .bytes, \.processBytesWritten, of: .check),
    Measure("process_write_calls", .calls, \.processWriteCalls, of: .check),
  ]

  /// The counts in `summary.csv` and in rules.
  public static let reported = all.filter { $0.extent == .operations || $0.extent == .end }

  /// The counts in `costs.csv`, in its order.
  public static let committed = all.filter(\.isCommitted)

  /// The counts by which two runs are compared, those of `costs.csv` first.
  public static let compared = committed + all.filter { $0.comparedAs != nil && !$0.isCommitted }

  /// The name of the count in comparisons.
  public var name: String { comparedAs ?? column }

  /// The unit in comparisons: `B`, `calls` or `files`.
  public var comparedUnit: String { unit == .bytes ? "B" : unit.rawValue + "s" }

  /// The minimum tolerance for a backend whose counts do not repeat exactly, as a share.
  public static let varyingTolerance = 0.1
}

/// A quotient of two counts, for rules and reports.
public struct CountRatio: Sendable {
  /// The name in rules.
  public let name: String
  /// The quotient; nil if a count was not measured, or if the divisor is 0.
  public let value: @Sendable (Cost) -> Double?

  /// The bytes written, deferred ones included, divided by the bytes changed.
  public static let amplification = CountRatio(name: "amplification") { cost in
    quotient(cost.bytesWrittenSettled, cost.bytesChanged)
  }

  /// The bytes that one operation writes, deferred ones included, divided by the length of the store's files.
  public static let rewriteShare = CountRatio(name: "rewrite_share") { cost in
    quotient(cost.bytesWrittenSettled, cost.fileBytes).map { $0 / Double(max(1, cost.countedOperations)) }
  }

  /// All quotients.
  public static let all = [amplification, rewriteShare]

  private static func quotient(_ count: Int?, _ divisor: Int?) -> Double? {
    guard let count, let divisor, divisor > 0 else { return nil }
    return Double(count) / Double(divisor)
  }
}
