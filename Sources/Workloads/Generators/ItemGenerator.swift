/// Draws the item that an operation is about. Items are numbered from 0 in the order in which they were stored.
///
/// To add a distribution, write its file and add its line to ``ItemDistribution``.
public protocol ItemGenerator {
  /// One of the items.
  ///
  /// - Parameters:
  ///   - there: How many items there are by now, at least as many as in the beginning.
  ///   - random: What is drawn from.
  mutating func item(of there: Int, _ random: inout RandomStream) -> Int
}

/// The distributions of requests over items, by YCSB's names.
public enum ItemDistribution: String, Sendable, CaseIterable {
  /// See ``ScrambledZipfian``.
  case zipfian
  /// See ``UniformItems``.
  case uniform
  /// See ``LatestItems``.
  case latest

  /// Returns a generator over items.
  ///
  /// - Parameters:
  ///   - items: How many there are in the beginning.
  ///   - room: How many are expected to be added.
  public func generator(items: Int, room: Int) -> any ItemGenerator {
    switch self {
    case .zipfian: ScrambledZipfian(items: items, room: room)
    case .uniform: UniformItems(items: items)
    case .latest: LatestItems(items: items)
    }
  }
}

/// Every item as likely as any other; of those that were there in the beginning, as in YCSB (`UniformLongGenerator`
/// over the records of the load phase).
public struct UniformItems: ItemGenerator {
  private let items: Int

  /// Draws from so many items.
  public init(items: Int) { self.items = items }

  /// One of the items.
  public func item(of there: Int, _ random: inout RandomStream) -> Int { random.below(items) }
}
