/// The capability to report the layout of a store in its files, such as how far use has fragmented it.
///
/// There is no emulation. Only the engine knows its layout, so an engine that cannot report it has no such findings.
public protocol Inspecting {
  /// Examines the whole open store. It changes nothing, and it may take as long as reading everything.
  ///
  /// - Throws: ``StoreError``.
  func layout() throws -> StoreLayout
}

/// The layout of a store in its files, as far as its engine can report it.
public struct StoreLayout: Equatable, Sendable {
  /// The number of pages in the file, unused ones included.
  public var pageCount: Int?
  /// The number of unused pages that the file still contains.
  public var freePages: Int?
  /// The share of leaf pages that do not lie directly behind their predecessor in key order, among the leaves that have
  /// one. It is 0 after filling in key order, and it is the share of jumps in a walk in key order. `sqlite3_analyzer`
  /// calls such pages non-sequential. The leaves of all trees are counted.
  public var fragmentation: Double?
  /// The share of the bytes of leaf pages that is in use.
  public var leafFill: Double?
  /// The number of files with sorted records in a log-structured engine.
  public var sortedFiles: Int?
  /// The number of places in which a log-structured engine may have to look for a key: each file of the first level,
  /// whose keys overlap, and each further level that has files.
  public var sortedRuns: Int?

  /// Creates a layout with no known values.
  public init() {}

  /// The known values, under their names in the result files: `page_count`, `free_pages`, `fragmentation`, `leaf_fill`,
  /// `sorted_files`, `sorted_runs`.
  public var findings: [Finding] {
    let known: [(name: String, value: Double?)] = [
      ("page_count", pageCount.map(Double.init)), ("free_pages", freePages.map(Double.init)),
      ("fragmentation", fragmentation), ("leaf_fill", leafFill), ("sorted_files", sortedFiles.map(Double.init)),
      ("sorted_runs", sortedRuns.map(Double.init)),
    ]
    return known.compactMap { name, value in value.map { Finding(name, $0, .first) } }
  }
}

/// Accumulates figures about leaf pages, visited in key order, for any engine.
public struct LeafWalk {
  /// The number of leaves so far.
  public private(set) var leaves = 0
  private var followers = 0
  private var jumps = 0
  private var last: Int?
  private var used = 0
  private var size = 0

  /// Starts with no page.
  public init() {}

  /// Begins another tree. Its first leaf has no predecessor.
  public mutating func beginTree() { last = nil }

  /// Adds the next leaf of the tree.
  ///
  /// - Parameters:
  ///   - page: The page's number in the file.
  ///   - used: The number of its bytes in use.
  ///   - size: The page size in bytes.
  public mutating func add(page: Int, used: Int, of size: Int) {
    if let last {
      followers += 1
      if page != last + 1 { jumps += 1 }
    }
    last = page
    leaves += 1
    self.used += used
    self.size += size
  }

  /// ``StoreLayout/fragmentation``, or nil if no leaf has a predecessor.
  public var fragmentation: Double? { followers == 0 ? nil : Double(jumps) / Double(followers) }

  /// ``StoreLayout/leafFill``, or nil if there is no leaf.
  public var fill: Double? { size == 0 ? nil : Double(used) / Double(size) }
}
