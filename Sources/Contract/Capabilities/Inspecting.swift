/// The capability to report the layout of a store in its files, such as the number of pages. No emulation exists.
public protocol Inspecting {
  /// Returns the layout of the open store, such as its number of pages. The call may take as long as reading all
  /// records.
  ///
  /// - Throws: ``StoreError``.
  func layout() throws -> StoreLayout
}

/// The layout of a store in its files, such as the number of pages.
public struct StoreLayout: Equatable, Sendable {
  /// The number of pages in the store's file, including unused ones. Nil if unknown.
  public var pageCount: Int?
  /// The number of unused pages in the store's file. Nil if unknown.
  public var freePages: Int?
  /// The share of leaf pages, from 0 to 1, that are not stored directly after the previous leaf page in key order. Nil
  /// if unknown.
  public var fragmentation: Double?
  /// The share of used bytes in all leaf pages of the store, from 0 to 1. Nil if unknown.
  public var leafFill: Double?
  /// The number of files with sorted records in the store of a log-structured engine. Nil for other engines.
  public var sortedFiles: Int?
  /// The number of places where a log-structured engine may search for one key: each file of the first level, and each
  /// further level. Nil for other engines.
  public var sortedRuns: Int?

  /// Creates a store layout in which every value is nil. The backend then sets the values that its engine reports.
  public init() {}

  /// The known values of the layout as findings for a report, such as `page_count`. Unknown values are omitted.
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

  /// Creates a walk that has no leaf pages yet. Call ``add(page:used:of:)`` for each leaf page of a tree, in key order.
  public init() {}

  /// Begins another tree of pages. The first leaf page of each tree is left out of ``fragmentation``.
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

  /// The share of leaf pages, from 0 to 1, that are not stored directly after the previously added leaf page. Nil if
  /// every tree has at most one leaf page.
  public var fragmentation: Double? { followers == 0 ? nil : Double(jumps) / Double(followers) }

  /// The share of used bytes in all leaf pages passed to ``add(page:used:of:)``, from 0 to 1. Nil without such pages.
  public var fill: Double? { size == 0 ? nil : Double(used) / Double(size) }
}
