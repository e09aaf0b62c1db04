/// The work that a trial has counted, such as its system calls and the bytes written. Numbers that were not measured
/// are nil.
public struct Cost: Sendable, Equatable {
  /// The number of operations during which calls and bytes were counted.
  public var countedOperations: Int
  /// The size in bytes of the records that the counted operations changed, without engine overhead. Nil for read-only
  /// workloads.
  public var bytesChanged: Int?
  /// The bytes written to the store during the counted operations.
  public var bytesWritten: Int?
  /// The bytes written to the store from the first counted operation until the store was closed. Writes by the final
  /// checkpoint and by the check of the results are included.
  public var bytesWrittenSettled: Int?
  /// The bytes that the counted operations and a final sync wrote to the block device, with file system metadata. Nil
  /// without `run --device`.
  public var deviceBytes: Int?
  /// The number of calls that wrote to the store during the counted operations.
  public var writeCalls: Int?
  /// The number of system calls that made the disk flush, such as fsync, during the counted operations.
  public var syncs: Int?
  /// The number of system calls that made the disk flush, such as fsync, from the first counted operation until the
  /// store was closed.
  public var syncsSettled: Int?
  /// The bytes that system calls read from the store during the counted operations. Nil for a memory-mapped store.
  public var bytesRead: Int?
  /// The number of files opened during the counted operations.
  public var opens: Int?
  /// The number of files that the counted operations renamed.
  public var renames: Int?
  /// The number of blocks that malloc allocated during the counted operations.
  public var allocations: Int?
  /// The number of bytes that malloc allocated during the counted operations.
  public var allocatedBytes: Int?
  /// The number of SQL statements run during the counted operations. Nil if none was run.
  public var statements: Int?
  /// The size in bytes of all records after the last operation, without the overhead of the engine.
  public var storedBytes: Int?
  /// The length of the store's files in bytes after the store was closed.
  public var fileBytes: Int?
  /// The bytes that the file system has allocated for the closed store's files. For a store in memory, a copy on disk
  /// is measured.
  public var fileBytesAllocated: Int?
  /// The number of files and directories below the store's directory after the store was closed.
  public var inodes: Int?
  /// The peak growth of the process's anonymous memory (such as its heap) during the counted operations, in bytes.
  public var peakAnonBytes: Int?
  /// The peak growth of the process's file-backed memory (mapped files) during the counted operations, in bytes.
  public var peakFileBytes: Int?
  /// The bytes written to files outside the store's directory, from the first counted operation until the store was
  /// closed.
  public var otherBytesWritten: Int?
  /// The number of calls that wrote outside the store's directory, from the first counted operation until the store was
  /// closed.
  public var otherWriteCalls: Int?
  /// The bytes that the trial's process wrote to any file until the store was closed, as observed by this suite.
  public var seenBytesWritten: Int?
  /// The number of calls with which the trial's process wrote to any file until the store was closed, as observed by
  /// this suite.
  public var seenWriteCalls: Int?
  /// The bytes that the process wrote, as counted by the kernel. Equal to ``seenBytesWritten`` if this suite observed
  /// every write.
  public var processBytesWritten: Int?
  /// The number of write calls, as counted by the kernel. Equal to ``seenWriteCalls`` if this suite observed every
  /// write.
  public var processWriteCalls: Int?
  /// The hash of the store's content after a fixed number of operations. Nil if the content cannot be checked.
  public var digest: String?

  /// Creates the counted work of a trial, of which only the number of operations is known. All other numbers are nil.
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

/// The name, unit and use of one number in ``Cost``, such as the syncs. A new number needs a property in ``Cost`` and
/// an element in ``all``.
public struct Measure: Sendable {
  /// The unit of a number in ``Cost``: bytes, calls or files.
  public enum Unit: String, Sendable {
    /// The unit of sizes: bytes.
    case bytes = "B"
    /// The unit of system calls, allocator calls and SQL statements.
    case calls = "call"
    /// The unit of a count of files and directories: one file or one directory.
    case files = "file"
  }

  /// The kind of a number in ``Cost``, such as a total over the counted operations or a final size.
  public enum Extent: Sendable {
    /// A total over the counted operations, such as bytes written. Reports divide the total by the number of
    /// operations.
    case operations
    /// A single value for the whole measurement, such as the final size of the store's files.
    case end
    /// The kind of a number that counts the calls or bytes written outside the store's directory. `trials.csv` contains
    /// the number, but `summary.csv` does not.
    case elsewhere
    /// The kind of a number that counts the calls or bytes written by the whole process, to any file. The number only
    /// serves to check other numbers.
    case check
  }

  /// The groups of columns in `summary.csv`. New columns go into the last group, because some programs read columns by
  /// position.
  public enum Group: Sendable {
    /// The columns that `summary.csv` has had since its first version, such as `bytes_written`.
    case first
    /// The columns added to `summary.csv` in version 2, such as `inodes`. They follow the column `mean_ns`.
    case later
    /// The columns at the end of `summary.csv`. A column that is added in a later version belongs here.
    case last
  }

  /// The name of the number in the files of a run, such as `bytes_written`.
  public let column: String
  /// The name of the number where two runs are compared, in `costs.csv` and in `--max-increase`: `writes`. Nil if the
  /// number is not compared.
  public let comparedAs: String?
  /// Whether the number is in `costs.csv`, the committed file of expected numbers that the command `check` uses.
  public let isCommitted: Bool
  /// The unit of the number: bytes, calls or files.
  public let unit: Unit
  /// The kind of the number, such as a total over the counted operations or a final size.
  public let extent: Extent
  /// The default share by which the number may grow between two runs without being a regression: 0.01 allows 1 %.
  public let tolerance: Double
  /// The group of columns in `summary.csv` to which the number belongs. Unused if `summary.csv` lacks the number.
  public let group: Group
  /// The property of ``Cost`` that holds the number.
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

  /// All measures, such as syncs and bytes written, in the order of their columns in the files of a run.
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

  /// The measures that have a column in `summary.csv`, such as syncs and bytes written.
  public static let reported = all.filter { $0.extent == .operations || $0.extent == .end }

  /// The measures in `costs.csv`, the committed file of expected system calls, bytes and allocations, in the order of
  /// its columns.
  public static let committed = all.filter(\.isCommitted)

  /// The measures by which two runs are compared, such as syncs and bytes written. Those in `costs.csv` come first.
  public static let compared = committed + all.filter { $0.comparedAs != nil && !$0.isCommitted }

  /// The name of the measure in comparisons of two runs, such as `writes` for the column `write_calls`.
  public var name: String { comparedAs ?? column }

  /// The unit of the measure in comparisons of two runs: `B`, `calls` or `files`.
  public var comparedUnit: String { unit == .bytes ? "B" : unit.rawValue + "s" }

  /// The minimum default tolerance for backends whose counts of calls and bytes vary between equal runs: 0.1 allows a
  /// growth of 10 %.
  public static let varyingTolerance = 0.1
}

extension Cost {
  /// The write amplification: the bytes written until the store was closed, divided by the bytes of changed records.
  /// Nil if a number is missing or the divisor is 0.
  public var amplification: Double? { Self.quotient(bytesWrittenSettled, bytesChanged) }

  /// The bytes that one operation writes, divided by the length of the store's files: 1 if each operation rewrites the
  /// store. Nil if a number is missing or the divisor is 0.
  public var rewriteShare: Double? {
    Self.quotient(bytesWrittenSettled, fileBytes).map { $0 / Double(max(1, countedOperations)) }
  }

  private static func quotient(_ count: Int?, _ divisor: Int?) -> Double? {
    guard let count, let divisor, divisor > 0 else { return nil }
    return Double(count) / Double(divisor)
  }
}
