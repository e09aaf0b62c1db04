/// The state of the page cache for the store's files when the timed part of a trial starts.
public enum CacheState: String, Sendable, Codable, CaseIterable {
  /// A warm start: the store's files are read once directly before the timed part.
  case warm
  /// A cold start: the store's files are dropped from the page cache directly before the timed part.
  case cold
}

/// One cell of the benchmark matrix: backend, workload, size and conditions.
public struct Cell: Hashable, Sendable {
  /// The backend of the cell with its options.
  public var backend: Spec
  /// The workload of the cell with its options.
  public var workload: Spec
  /// N, the number of records in the store.
  public var records: Int
  /// The payload bytes of a record; for a data set the mean, rounded down.
  public var recordBytes: Int
  /// The requested durability; nil for a workload that only reads, which has no durability level.
  public var durability: Durability?
  /// The number of threads that work at the same time.
  public var threads: Int
  /// The state of the page cache when the timed part starts.
  public var cache: CacheState
  /// The number of earlier changes to the store, in multiples of ``records``; 0 for a store that was only filled.
  public var aged: Int
  /// The memory limit for heap and page cache of the process, in bytes; nil if the process may use all memory.
  public var memory: Int?

  /// Creates a cell of the benchmark matrix.
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

  /// The cell's name: `BACKEND/WORKLOAD/RECORDS/DURABILITY`, then the values that differ from 100 bytes, 1 thread,
  /// warm, not aged, all memory.
  ///
  /// The name identifies the cell within a run, is matched by globs, and names directories under `stores/`.
  public var name: String {
    var name = "\(backend)/\(workload)/\(records)/\(durability?.rawValue ?? "-")"
    if recordBytes != 100 { name += "/bytes=\(recordBytes)" }
    if threads != 1 { name += "/threads=\(threads)" }
    if cache == .cold { name += "/cold" }
    if aged != 0 { name += "/aged=\(aged)" }
    if let memory { name += "/memory=\(Quantity.size(memory))" }
    return name
  }

  /// The cell without backend, workload, records and durability. Two cells can be compared as two sizes of one
  /// workload, or as two backends, only if these conditions are equal.
  public var conditions: Cell {
    var cell = self
    (cell.backend, cell.workload, cell.records, cell.durability) = (Spec(id: ""), Spec(id: ""), 0, nil)
    return cell
  }
}

/// A pattern for the names of benchmark cells. `*` matches any characters, including `/`, `?` matches one, and `{a,b}`
/// matches `a` or `b`. The whole name must match.
public struct Glob: Sendable, Hashable {
  private let patterns: [[Character]]

  /// The largest number of alternatives for which the braces of a glob are resolved.
  private static let mostAlternatives = 1_000

  /// Creates a glob from a text such as `{plist,archive}/save-one/*/shipped`.
  public init(_ pattern: String) { patterns = Self.alternatives(pattern).map(Array.init) }

  /// Returns whether a text contains wildcards, and so is a glob and not a plain name.
  public static func isPattern(_ text: String) -> Bool { text.contains { $0 == "*" || $0 == "?" } }

  /// Returns the patterns without braces that a glob stands for. A brace without its counterpart stands for itself, as
  /// do all braces of a glob with more than 1,000 alternatives, which no list of cells needs.
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

  /// Returns whether the glob matches the whole text.
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
