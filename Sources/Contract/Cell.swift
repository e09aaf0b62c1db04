/// The state of the operating system's page cache for the store's files when the timed part of a measurement starts.
public enum CacheState: String, Sendable, Codable, CaseIterable {
  /// A warm start: the store's files are read once directly before the timed part of a measurement.
  case warm
  /// A cold start: the store's files are dropped from the page cache directly before the timed part of a measurement.
  case cold
}

/// A benchmark: one combination of backend, workload, number of records and conditions, such as the number of threads.
public struct Cell: Hashable, Sendable {
  /// The measured backend with its options, such as `sqlite:journal=delete`.
  public var backend: Spec
  /// The measured workload with its options, such as `import:batch=1000`.
  public var workload: Spec
  /// The number of records in the store.
  public var records: Int
  /// The payload size of each record in bytes. For records of different sizes, the mean payload size, rounded down.
  public var recordBytes: Int
  /// The durability that the user requests for saves, such as `intact`. Nil for a workload that only reads.
  public var durability: Durability?
  /// The number of threads that work on the store at the same time.
  public var threads: Int
  /// The state of the operating system's page cache when the timed part of the measurement starts.
  public var cache: CacheState
  /// The number of passes that age the store before the measurement. Each pass makes as many changes as the store has
  /// records.
  public var aged: Int
  /// The memory limit of the measured process in bytes, for its heap and page cache. Nil without a limit.
  public var memory: Int?

  /// Creates a benchmark: a combination of backend, workload, number of records and conditions to measure.
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

  /// The benchmark's name, and its path under `stores/`: `sqlite/save-one/1000/shipped`. Default conditions, such as
  /// one thread, are omitted.
  public var name: String {
    var name = "\(backend)/\(workload)/\(records)/\(durability?.rawValue ?? "-")"
    if recordBytes != 100 { name += "/bytes=\(recordBytes)" }
    if threads != 1 { name += "/threads=\(threads)" }
    if cache == .cold { name += "/cold" }
    if aged != 0 { name += "/aged=\(aged)" }
    if let memory { name += "/memory=\(Quantity.size(memory))" }
    return name
  }

  /// The conditions of this benchmark, such as the number of threads. Backend, workload, number of records and
  /// durability are left empty.
  public var conditions: Cell {
    with { ($0.backend, $0.workload, $0.records, $0.durability) = (Spec(id: ""), Spec(id: ""), 0, nil) }
  }

  /// Returns a copy of the benchmark with a change, such as another number of records.
  package func with(_ change: (inout Cell) -> Void) -> Cell {
    var cell = self
    change(&cell)
    return cell
  }
}

/// A pattern for whole names: `*` matches any text, even with slashes, `?` one character, and `{a,b}` either `a` or
/// `b`.
public struct Glob: Sendable, Hashable {
  private let patterns: [[Character]]

  private static let mostAlternatives = 1_000

  /// Creates a pattern for the names of benchmarks from a text such as `{plist,archive}/save-one/*/shipped`.
  public init(_ pattern: String) { patterns = Self.alternatives(pattern).map(Array.init) }

  /// Returns whether a text contains the wildcard `*` or `?`.
  public static func isPattern(_ text: String) -> Bool { text.contains { $0 == "*" || $0 == "?" } }

  /// Expands braces: `{a,b}/x` gives `a/x` and `b/x`. A pattern with more than 1,000 alternatives is returned
  /// unchanged.
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

  /// Returns whether the pattern matches the whole text.
  public func matches(_ text: String) -> Bool {
    let text = Array(text)
    return patterns.contains { pattern in
      // For each length from 0: whether the pattern up to the current symbol matches a start of the text of this
      // length.
      var matched = [true] + text.map { _ in false }
      for symbol in pattern {
        if symbol == "*" {
          for length in text.indices where matched[length] { matched[length + 1] = true }
        } else {
          for length in text.indices.reversed() {
            matched[length + 1] = matched[length] && (symbol == "?" || symbol == text[length])
          }
          matched[0] = false
        }
      }
      return matched[text.count]
    }
  }
}
