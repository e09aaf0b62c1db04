/// The capability to report the layout of a store in its files, such as how far use has fragmented it.
///
/// The capability has no emulation. Only the engine knows its layout, so a report has no such figures of other engines.
public protocol Inspecting {
  /// Examines the whole open store without a change. The call may take as long as reading everything.
  ///
  /// - Throws: ``StoreError``.
  func layout() throws -> StoreLayout
}

/// The layout of a store in its files, as far as the store's engine can report it.
public struct StoreLayout: Equatable, Sendable {
  /// The number of pages in the store's file, unused pages included.
  public var pageCount: Int?
  /// The number of unused pages that the store's file still contains.
  public var freePages: Int?
  /// The share of leaf pages that do not lie directly behind their predecessor in key order, among the leaves with a
  /// predecessor. The share is 0 after filling in key order. It is the share of jumps in a scan in key order.
  /// `sqlite3_analyzer` calls such pages non-sequential. The leaves of all trees are counted.
  public var fragmentation: Double?
  /// The share of the leaf pages' bytes that is in use.
  public var leafFill: Double?
  /// The number of files with sorted records in a log-structured engine.
  public var sortedFiles: Int?
  /// The number of places in which a log-structured engine may have to search for a key: each file of the first level,
  /// whose keys overlap, and each further level that has files.
  public var sortedRuns: Int?

  /// Creates a store layout with no known values.
  public init() {}

  /// The known values of the layout, under their names in the result files: `page_count`, `free_pages`,
  /// `fragmentation`, `leaf_fill`, `sorted_files`, `sorted_runs`.
  public var findings: [Finding] {
    let known: [(name: String, value: Double?)] = [
      ("page_count", pageCount.map(Double.init)), ("free_pages", freePages.map(Double.init)),
      ("fragmentation", fragmentation), ("leaf_fill", leafFill), ("sorted_files", sortedFiles.map(Double.init)),
      ("sorted_runs", sortedRuns.map(Double.init)),
    ]
    return known.compactMap { name, value in value.map { Finding(name, $0, .first) } }
  }
}

/// The fragmentation and fill of leaf pages, accumulated in key order, for any engine.
public struct LeafWalk {
  /// The number of leaf pages that were added so far.
  public private(set) var leaves = 0
  private var followers = 0
  private var jumps = 0
  private var last: Int?
  private var used = 0
  private var size = 0

  /// Creates an accumulator without any page.
  public init() {}

  /// Begins another tree of pages. The tree's first leaf has no predecessor.
  public mutating func beginTree() { last = nil }

  /// Adds the next leaf page of the tree.
  ///
  /// - Parameters:
  ///   - page: The page's number in the file.
  ///   - used: The number of the page's bytes in use.
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

  /// The value of ``StoreLayout/fragmentation`` for the added pages, or nil if no leaf has a predecessor.
  public var fragmentation: Double? { followers == 0 ? nil : Double(jumps) / Double(followers) }

  /// The value of ``StoreLayout/leafFill`` for the added pages, or nil if no page was added.
  public var fill: Double? { size == 0 ? nil : Double(used) / Double(size) }
}
