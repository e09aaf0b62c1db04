import StorageContract
import StorageRunFiles
import StorageWorkloads

/// One of several runs that divide the benchmarks of a plan between them: `2/4` is the second of four.
struct Shard: Sendable, Equatable, CustomStringConvertible {
  let number: Int
  let count: Int

  init(_ text: String) throws {
    guard let shard = FileNumbers.shard(text) else {
      throw UsageError(
        "'\(text)' is not a shard; give I/N with N from 1 to \(Quantity.grouped(FileNumbers.shards.upperBound)) "
          + "and I from 1 to N, such as 2/4")
    }
    (number, count) = shard
  }

  /// Returns whether this shard measures the named benchmark. A hash of the name decides.
  func takes(_ name: String) -> Bool {
    var hash = StableHash()
    hash.add(name)
    return Int(hash.value % UInt64(count)) == number - 1
  }

  var description: String { "\(number)/\(count)" }
}
