/// Whether the store's files are in memory when the timed part starts.
public enum CacheState: String, Sendable, Codable, CaseIterable {
  /// The files are read once directly before.
  case warm
  /// The files are dropped from the page cache directly before.
  case cold
}

/// One cell of the benchmark matrix: backend, workload, size and conditions.
public struct Cell: Hashable, Sendable {
  /// The storage strategy with its options.
  public var backend: Spec
  /// The workload with its options.
  public var workload: Spec
  /// N, the number of records in the store.
  public var records: Int
  /// Payload bytes of a record; the mean, rounded down, for a data set.
  public var recordBytes: Int
  /// The requested durability; nil for workloads that only read, which have no level.
  public var durability: Durability?
  /// Threads that work at once.
  public var threads: Int
  /// The state of the page cache at the start.
  public var cache: CacheState
  /// The number of earlier changes to the store, in multiples of N; 0 for a store that was only filled.
  public var aged: Int
  /// The bytes of memory for heap and page cache of the process; nil for all memory of the machine.
  public var memory: Int?

  /// Creates a cell.
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

  /// `BACKEND/WORKLOAD/RECORDS/DURABILITY`, then the values that differ from 100 bytes, 1 thread, warm, not aged, all
  /// memory.
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
  /// workload, or as two backends, only if the rest is equal.
  public var conditions: Cell {
    var cell = self
    (cell.backend, cell.workload, cell.records, cell.durability) = (Spec(id: ""), Spec(id: ""), 0, nil)
    return cell
  }
}

/// A pattern for cell names. `*` matches any characters, including `/`, `?` matches one, and `{a,b}` matches `a` or `b`.
/// The whole name must match.
public struct Glob: Sendable, Hashable {
  private let patterns: [[Character]]

  /// The number of alternatives up to which braces are resolved.
  private static let mostAlternatives = 1_000

  /// Creates a pattern from its text, such as `{plist,archive}/save-one/*/shipped`.
  public init(_ pattern: String) { patterns = Self.alternatives(pattern).map(Array.init) }

  /// Returns whether a text contains wildcards, and so is a glob and not a plain name.
  public static func isPattern(_ text: String) -> Bool { text.contains { $0 == "*" || $0 == "?" } }

  /// Returns the patterns without braces that a pattern stands for. A brace without its counterpart stands for itself, as
  /// do all braces of a pattern with more than 1,000 alternatives, which no list of cells needs.
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

  /// Returns whether the whole text matches.
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
