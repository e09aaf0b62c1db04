/// The capability to report the layout of a store in its files, such as the share of pages that are out of order.
///
/// There is no emulation, because only an engine knows its layout. Reports have no such figures for other engines.
public protocol Inspecting {
  /// Examines the whole open store without changing it. The call may take as long as reading all records.
  ///
  /// - Throws: ``StoreError``.
  func layout() throws -> StoreLayout
}

/// The layout of a store in its files, as far as the store's engine can report it.
public struct StoreLayout: Equatable, Sendable {
  /// The number of pages in the store's file, unused pages included; nil if the engine does not report it.
  public var pageCount: Int?
  /// The number of unused pages that the store's file still contains; nil if the engine does not report it.
  public var freePages: Int?
  /// The share of leaf pages that do not directly follow their predecessor in the file; nil if unknown. The predecessor
  /// of a leaf is the previous leaf in key order. The leaves of all trees count, except the first leaf of each tree.
  /// `sqlite3_analyzer` calls such pages non-sequential.
  public var fragmentation: Double?
  /// The share of the bytes of all leaf pages that is in use; nil if unknown.
  public var leafFill: Double?
  /// The number of files with sorted records in the store of a log-structured engine; nil for other engines.
  public var sortedFiles: Int?
  /// The number of sorted runs in which a log-structured engine may have to search for a key; nil for other engines.
  /// Each file of the first level counts as one run, because the keys of these files overlap. Each further level with
  /// files counts once.
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

/// A walk over an engine's leaf pages in key order, which computes how fragmented and how full the pages are.
public struct LeafWalk {
  /// The number of leaf pages that were added to the walk so far by `add`.
  public private(set) var leaves = 0
  private var followers = 0
  private var jumps = 0
  private var last: Int?
  private var used = 0
  private var size = 0

  /// Creates a walk to which no leaf page has been added.
  public init() {}

  /// Begins another tree of pages. The tree's first leaf page has no predecessor in the walk.
  public mutating func beginTree() { last = nil }

  /// Adds the next leaf page of the current tree, in key order.
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

  /// The share of added leaf pages that do not directly follow their predecessor in the file, for
  /// ``StoreLayout/fragmentation``. Nil if no leaf page has a predecessor.
  public var fragmentation: Double? { followers == 0 ? nil : Double(jumps) / Double(followers) }

  /// The share of the bytes of the added leaf pages that is in use, for ``StoreLayout/leafFill``. Nil if no page was
  /// added.
  public var fill: Double? { size == 0 ? nil : Double(used) / Double(size) }
}
