/// The state of the page cache for the store's files when the timed part of a measurement starts.
public enum CacheState: String, Sendable, Codable, CaseIterable {
  /// A warm start: the store's files are read once directly before the timed part of a measurement.
  case warm
  /// A cold start: the store's files are dropped from the page cache directly before the timed part of a measurement.
  case cold
}

/// One cell of the benchmark matrix: a combination of backend, workload, size and conditions.
public struct Cell: Hashable, Sendable {
  /// The measured backend with its options, such as `sqlite:journal=delete`.
  public var backend: Spec
  /// The measured workload with its options, such as `import:batch=1000`.
  public var workload: Spec
  /// N, the number of records in the store.
  public var records: Int
  /// The payload size of a record in bytes. If the sizes differ, as in a data set, it is the mean size, rounded down.
  public var recordBytes: Int
  /// The requested durability of saves; nil for a workload that only reads.
  public var durability: Durability?
  /// The number of threads that work on the store at the same time.
  public var threads: Int
  /// The state of the page cache when the timed part of the measurement starts.
  public var cache: CacheState
  /// The age of the store: the number of changes before the measurement, divided by ``records``; 0 for a newly filled
  /// store.
  public var aged: Int
  /// The memory limit for heap and page cache of the measured process, in bytes; nil if the process may use all memory.
  public var memory: Int?

  /// Creates a cell: one combination of backend, workload, number of records and conditions, which a run measures.
  public init(
    backend: Spec, workload: Spec, records: Int, recordBytes: Int = 100, durability: Durability?,
    threads: Int = 1, cache: CacheState = .warm, aged: Int = 0, memory: Int? = nil
  ) {
    self.backend = backend
    self.workload = workload
    self.records = records
    self.recordBytes = recordBytes
    self.durability = durability
    self.threads = threads
    self.cache = cache
    self.aged = aged
    self.memory = memory
  }

  /// The cell's name: `BACKEND/WORKLOAD/RECORDS/DURABILITY`, as in `sqlite/save-one/1000/shipped`. A condition that
  /// differs from its default is appended, as in `/threads=4`. The defaults are 100 bytes, 1 thread, warm, not aged,
  /// all memory.
  ///
  /// The name identifies the cell within a run. It is used in glob patterns and as a directory under `stores/`.
  public var name: String {
    var name = "\(backend)/\(workload)/\(records)/\(durability?.rawValue ?? "-")"
    if recordBytes != 100 { name += "/bytes=\(recordBytes)" }
    if threads != 1 { name += "/threads=\(threads)" }
    if cache == .cold { name += "/cold" }
    if aged != 0 { name += "/aged=\(aged)" }
    if let memory { name += "/memory=\(Quantity.size(memory))" }
    return name
  }

  /// The conditions of the cell, such as its threads and cache state. The value is a copy with empty backend and
  /// workload, 0 records and no durability. Cells can be compared across sizes or backends only if their conditions are
  /// equal.
  public var conditions: Cell {
    var cell = self
    (cell.backend, cell.workload, cell.records, cell.durability) = (Spec(id: ""), Spec(id: ""), 0, nil)
    return cell
  }
}

/// A pattern for the names of benchmark cells. `*` matches any text, slashes included. `?` matches one character, and
/// `{a,b}` matches `a` or `b`. The pattern must match the whole name.
public struct Glob: Sendable, Hashable {
  private let patterns: [[Character]]

  private static let mostAlternatives = 1_000

  /// Creates a pattern for cell names from a text such as `{plist,archive}/save-one/*/shipped`.
  public init(_ pattern: String) { patterns = Self.alternatives(pattern).map(Array.init) }

  /// Returns whether a text contains a wildcard, `*` or `?`. Braces are no wildcards, because they list the names that
  /// they stand for.
  public static func isPattern(_ text: String) -> Bool { text.contains { $0 == "*" || $0 == "?" } }

  /// Returns the patterns that a glob with braces combines, such as `a/x` and `b/x` for `{a,b}/x`. A brace without its
  /// counterpart is a plain character. A glob with more than 1,000 alternatives is returned unchanged.
  public static func alternatives(_ pattern: String) -> [String] {
    var found = [""]
    var rest = pattern[...]
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      let choices = rest[rest.index(after: open)..<close].split(separator: ",", omittingEmptySubsequences: false)
      guard found.count * choices.count <= mostAlternatives else { return [pattern] }
      found = found.flatMap { start in choices.map { start + rest[..<open] + $0 } }
      rest = rest[rest.index(after: close)...]
    }
    return found.map { $0 + rest }
  }

  /// Returns whether the pattern matches the whole text, such as the name of a benchmark cell.
  public func matches(_ text: String) -> Bool {
    let text = Array(text)
    return patterns.contains { Self.matches(text, $0) }
  }

  private static func matches(_ text: [Character], _ pattern: [Character]) -> Bool {
    // After a mismatch, the last star matches one more character.
    var (p, t) = (0, 0)
    var star: (pattern: Int, text: Int)?
    while t < text.count {
      if p < pattern.count, pattern[p] == "*" {
        star = (p, t)
        p += 1
      } else if p < pattern.count, pattern[p] == "?" || pattern[p] == text[t] {
        p += 1
        t += 1
      } else if let last = star {
        star = (last.pattern, last.text + 1)
        p = last.pattern + 1
        t = last.text + 1
      } else {
        return false
      }
    }
    return pattern[p...].allSatisfy { $0 == "*" }
  }
}
