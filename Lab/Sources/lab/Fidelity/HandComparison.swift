import CBaseline
import Foundation
import StorageContract
import StorageStatistics

/// One comparison: the adapter against the same calls by hand, over the same block of work.
struct HandComparison {
  var name: String
  /// The language or library of the hand-written side.
  var hand = "C"
  var bound: Double
  /// The number of blocks in a sitting. Both sides run each block twice.
  var blocks: Int
  /// The number of operations in a block.
  var operations: Int
  var swift: () throws -> Void
  /// The hand-written side.
  var c: () throws -> Void
  /// Untimed preparation of a block, for the side that runs next.
  var prepare: ((_ isSwift: Bool) throws -> Void)?

  /// The result of one sitting.
  struct Result: Codable {
    var name: String
    var hand: String
    var bound: Double
    /// The median time of an operation in C and in Swift, in nanoseconds.
    var base: Double
    var head: Double
  }

  /// Measures all blocks.
  func run() throws -> Result {
    var (inC, inSwift): ([Double], [Double]) = ([], [])
    for block in -1..<blocks {
      var times = (swift: 0.0, c: 0.0)
      // The order of sides is reversed in each block. A side that has just run finds its store in the caches, which
      // would make every other pair a tenth too large and the rest too small. This way each side runs once after
      // itself and once after the other.
      let first = block.isMultiple(of: 2)
      for isSwift in [first, !first, !first, first] {
        try prepare?(isSwift)
        let start = DispatchTime.now().uptimeNanoseconds
        try isSwift ? swift() : c()
        let elapsed = Double(DispatchTime.now().uptimeNanoseconds - start)
        if isSwift { times.swift += elapsed } else { times.c += elapsed }
      }
      // The first block is a warm-up.
      guard block >= 0 else { continue }
      inC.append(times.c / Double(2 * operations))
      inSwift.append(times.swift / Double(2 * operations))
    }
    guard let base = Quantile.median(of: inC.sorted()), let head = Quantile.median(of: inSwift.sorted()) else {
      throw StoreError.failed("\(name) has no blocks")
    }
    return Result(name: name, hand: hand, bound: bound, base: base, head: head)
  }
}

/// The results of all sittings for one comparison.
struct ComparedRow {
  let name: String
  let bound: Double
  private let hand: String
  private var sittings: [(base: Double, head: Double)] = []

  init(_ first: HandComparison.Result) { (name, bound, hand) = (first.name, first.bound, first.hand) }

  mutating func add(_ sitting: HandComparison.Result) { sittings.append((sitting.base, sitting.head)) }

  private var ratio: PairedRatio? { PairedRatio(pairs: sittings) }

  var holds: Bool { ratio.map { $0.ratio <= bound } ?? false }

  var text: String {
    name.padding(toLength: 43, withPad: " ", startingAt: 0)
      + String(
        format: "%.3f  (%.3f to %.3f)  at most %.2f  %@  %@: %.0f ns", ratio?.ratio ?? .nan,
        ratio?.interval?.low ?? .nan, ratio?.interval?.high ?? .nan, bound, holds ? "ok    " : "MISSED",
        hand, Quantile.median(of: sittings.map(\.base).sorted()) ?? .nan)
  }
}
