/// Whether the store's files are in memory when the timed part starts.
public enum CacheState: String, Sendable, Codable, CaseIterable {
  /// Read once right before.
  case warm
  /// Dropped from the page cache right before.
  case cold
}

/// One square of the benchmark matrix: what is measured, on what, under which promise.
public struct Cell: Hashable, Sendable {
  /// The storage strategy with its options.
  public var backend: Spec
  /// What is done, with its options.
  public var workload: Spec
  /// N, the number of records in the store.
  public var records: Int
  /// Payload bytes of a record; the mean, rounded down, for a data set.
  public var recordBytes: Int
  /// What was asked; nil for workloads that only read, which carry no level.
  public var durability: Durability?
  /// Threads that work at once.
  public var threads: Int
  /// Whether the store starts in memory.
  public var cache: CacheState
  /// How many changes the store has lived through before, in multiples of N; 0 is a store that was just filled.
  public var aged: Int
  /// The bytes of memory that the process has for heap and page cache; nil is what the machine has.
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

  /// `BACKEND/WORKLOAD/RECORDS/DURABILITY`, then what differs from 100 bytes, 1 thread, warm, young and all memory.
  ///
  /// It identifies the cell within a run, is what globs match, and makes directories under `stores/`.
  public var name: String {
    var name = "\(backend)/\(workload)/\(records)/\(durability?.rawValue ?? "-")"
    if recordBytes != 100 { name += "/bytes=\(recordBytes)" }
    if threads != 1 { name += "/threads=\(threads)" }
    if cache == .cold { name += "/cold" }
    if aged != 0 { name += "/aged=\(aged)" }
    if let memory { name += "/memory=\(Quantity.size(memory))" }
    return name
  }

  /// The cell without what it is done by and on how much: what two cells must have in common besides to be two sizes of
  /// one thing, or two backends side by side.
  public var conditions: Cell {
    var cell = self
    (cell.backend, cell.workload, cell.records, cell.durability) = (Spec(id: ""), Spec(id: ""), 0, nil)
    return cell
  }
}

/// A pattern over cell names: `*` matches any characters, `/` included, `?` one; the whole name must match.
public struct Glob: Sendable, Hashable {
  private let pattern: [Character]

  /// Creates a pattern.
  public init(_ pattern: String) { self.pattern = Array(pattern) }

  /// Whether a text holds pattern characters, and so is a glob and not a plain name.
  public static func isPattern(_ text: String) -> Bool { text.contains { $0 == "*" || $0 == "?" } }

  /// Whether the whole text matches.
  public func matches(_ text: String) -> Bool {
    let text = Array(text)
    // On a mismatch after a star, let that star swallow one character more: linear but for the stars.
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
