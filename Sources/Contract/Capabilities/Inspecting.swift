/// The capability to tell how a store lies in its files: what use has left of the order in which it was filled.
///
/// It has no emulation. An engine that cannot tell is silent, since nobody else can know.
public protocol Inspecting {
  /// Looks at the whole open store. Nothing is changed, and it may take as long as reading everything.
  ///
  /// - Throws: ``StoreError``.
  func layout() throws -> StoreLayout
}

/// How a store lies in its files, as far as its engine can tell.
public struct StoreLayout: Equatable, Sendable {
  /// The pages of the file, those that nothing uses included.
  public var pageCount: Int?
  /// Pages that nothing uses, and that the file does not give back.
  public var freePages: Int?
  /// The share of leaf pages, among those that follow another in key order, that do not lie right behind it in the file:
  /// 0 after filling in key order. A walk in key order has to jump so often. It is what `sqlite3_analyzer` calls
  /// non-sequential pages, counted over the leaves of all trees.
  public var fragmentation: Double?
  /// The share of the leaf pages' bytes that is in use.
  public var leafFill: Double?
  /// The files of a log-structured engine that hold sorted records.
  public var sortedFiles: Int?
  /// In how many places a log-structured engine may have to look for a key: each file of the first level, whose keys
  /// overlap, and each further level that has files.
  public var sortedRuns: Int?

  /// Describes a layout of which nothing is known yet.
  public init() {}

  /// What is known, under the names that rows have it: `page_count`, `free_pages`, `fragmentation`, `leaf_fill`,
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

/// Adds leaf pages up in key order, whatever the engine.
public struct LeafWalk {
  /// Leaves so far.
  public private(set) var leaves = 0
  private var followers = 0
  private var jumps = 0
  private var last: Int?
  private var used = 0
  private var size = 0

  /// Starts with no page.
  public init() {}

  /// Begins another tree, whose first leaf follows none.
  public mutating func beginTree() { last = nil }

  /// Adds the next leaf of the tree.
  ///
  /// - Parameters:
  ///   - page: Its number in the file.
  ///   - used: How many of its bytes are in use.
  ///   - size: How many it has.
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

  /// ``StoreLayout/fragmentation``, or nil where no leaf follows another.
  public var fragmentation: Double? { followers == 0 ? nil : Double(jumps) / Double(followers) }

  /// ``StoreLayout/leafFill``, or nil where there is no leaf.
  public var fill: Double? { size == 0 ? nil : Double(used) / Double(size) }
}
