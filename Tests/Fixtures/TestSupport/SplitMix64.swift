import Foundation
import StorageContract

/// A seeded generator of random numbers, so that a failure can be repeated.
package typealias SplitMix64 = SeededRandom

extension SeededRandom {
  /// Returns true with this probability in percent.
  package mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

  /// Returns a standard normal deviate, by Box and Muller.
  package mutating func normal() -> Double {
    let radius = (-2 * log(Double.random(in: Double.leastNormalMagnitude..<1, using: &self))).squareRoot()
    return radius * cos(2 * .pi * Double.random(in: 0..<1, using: &self))
  }
}
