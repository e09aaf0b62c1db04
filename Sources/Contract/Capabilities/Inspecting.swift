/// The capability to report the layout of a store in its files, such as the number of pages.
///
/// For an engine without this capability, no emulation can report the layout, because only the engine knows the layout.
public protocol Inspecting {
  /// Returns the layout of the open store in its files, such as the number of pages. The call may take as long as
  /// reading all records.
  ///
  /// - Throws: ``StoreError``.
  func layout() throws -> StoreLayout
}

/// The layout of a store in its files, such as the number of pages.
public struct StoreLayout: Equatable, Sendable {
  /// The number of pages in the store's file, including unused ones. Nil if the engine does not report it.
  public var pageCount: Int?
  /// The number of unused pages in the store's file. Nil if the engine does not report it.
  public var freePages: Int?
  /// The share of leaf pages that are out of order in the file, from 0 to 1; nil if unknown. A page is in order if it
  /// directly follows the leaf page with the next lower keys. The first leaf page of each tree does not count.
  public var fragmentation: Double?
  /// The share of used bytes in all leaf pages of the store, from 0 to 1. Nil if unknown.
  public var leafFill: Double?
  /// The number of files with sorted records in the store of a log-structured engine. Nil for other engines.
  public var sortedFiles: Int?
  /// The number of sorted runs that a log-structured engine may have to search for one key. Nil for other engines. A
  /// run is one file of the first level, or all files of another level.
  public var sortedRuns: Int?

  /// Creates a store layout in which every value, such as ``pageCount``, is nil. The backend then sets the values that
  /// its engine reports.
  public init() {}

  /// The figures that a report shows about a store's layout in its files, such as `page_count` for the number of pages.
  /// Values that the engine does not report are left out.
  public var findings: [Finding] {
    let known: [(name: String, value: Double?)] = [
      ("page_count", pageCount.map(Double.init)), ("free_pages", freePages.map(Double.init)),
      ("fragmentation", fragmentation), ("leaf_fill", leafFill), ("sorted_files", sortedFiles.map(Double.init)),
      ("sorted_runs", sortedRuns.map(Double.init)),
    ]
    return known.compactMap { name, value in value.map { Finding(name, $0, .first) } }
  }
}

/// A walk over the leaf pages of a store in key order, which measures how full and how well ordered the pages are.
public struct LeafWalk {
  /// The number of leaf pages that have been measured so far. Leaf pages are the pages of a B-tree that hold its
  /// entries.
  public private(set) var leaves = 0
  private var followers = 0
  private var jumps = 0
  private var last: Int?
  private var used = 0
  private var size = 0

  /// Creates a walk over the leaf pages of a store. The walk starts without pages; each page is then added by
  /// ``add(page:used:of:)``.
  public init() {}

  /// Begins another tree of pages. The tree's first leaf page does not count for ``fragmentation``.
  public mutating func beginTree() { last = nil }

  /// Adds the next leaf page of the current tree, in key order.
  ///
  /// - Parameters:
  ///   - page: The page's number in the file.
  ///   - used: The number of used bytes in the page.
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

  /// The share of added leaf pages that are out of order in the file, from 0 to 1. Pages 5, 6 and 9 give 0.5: page 6
  /// follows page 5, but page 9 does not follow page 6. The first page of each tree does not count. Nil if no other
  /// page was added.
  public var fragmentation: Double? { followers == 0 ? nil : Double(jumps) / Double(followers) }

  /// The share of used bytes in the added leaf pages, from 0 to 1. Nil if no page was added.
  public var fill: Double? { size == 0 ? nil : Double(used) / Double(size) }
}
