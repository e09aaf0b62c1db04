import StorageContract
import StorageRunFiles
import StorageWorkloads

/// One of several runs that share the cells between them: `2/4`.
struct Shard: Sendable, Equatable, CustomStringConvertible {
  /// From 1 to ``count``.
  let number: Int
  let count: Int

  /// Reads `2/4`.
  init(_ text: String) throws {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let number = parts[0], let count = parts[1], FileNumbers.shards.contains(count),
      (1...count).contains(number)
    else { throw UsageError("'\(text)' is not a shard; give its number and how many there are, such as 2/4") }
    self.number = number
    self.count = count
  }

  /// Whether a cell belongs to this shard. By a hash of its name, so that it does not depend on the other cells.
  func takes(_ name: String) -> Bool {
    var hash = StableHash()
    hash.add(name)
    return Int(hash.value % UInt64(count)) == number - 1
  }

  var description: String { "\(number)/\(count)" }
}
