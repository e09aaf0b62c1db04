/// A generator of the items that operations use. Items are numbered from 0 in the order in which they were stored.
///
/// To add a distribution, write its file and add its line to ``ItemDistribution``.
public protocol ItemGenerator {
  /// Returns a random item.
  ///
  /// - Parameters:
  ///   - there: The current number of items, at least the number at the start.
  ///   - random: The source of random numbers.
  mutating func item(of there: Int, _ random: inout RandomStream) -> Int
}

/// The distributions of requests over items, under YCSB's names.
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
  ///   - items: The number of items at the start.
  ///   - room: The expected number of added items.
  public func generator(items: Int, room: Int) -> any ItemGenerator {
    switch self {
    case .zipfian: ScrambledZipfian(items: items, room: room)
    case .uniform: UniformItems(items: items)
    case .latest: LatestItems(items: items)
    }
  }
}

/// A uniform distribution over the items at the start, as in YCSB (`UniformLongGenerator` over the loaded records).
public struct UniformItems: ItemGenerator {
  private let items: Int

  /// Creates a generator for a number of items.
  public init(items: Int) { self.items = items }

  /// Returns a random item.
  public func item(of there: Int, _ random: inout RandomStream) -> Int { random.below(items) }
}
