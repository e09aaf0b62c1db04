import CStorageInstrument

/// A loop of integer arithmetic without memory or disk access, whose time depends only on the speed of the processor.
package enum IntegerLoop {
  package static func time(_ steps: Int) -> Int64 {
    let start = ci_now()
    let state = state(after: steps)
    let end = ci_now()
    // The use of the state, which is never zero, prevents the compiler from removing the loop.
    return state == 0 ? 0 : end - start
  }

  /// Runs a pseudorandom generator whose steps depend on each other, so that they cannot overlap (Marsaglia, "Xorshift
  /// RNGs", 2003).
  @inline(never)
  private static func state(after steps: Int) -> UInt64 {
    var state = UInt64(steps) | 1
    for _ in 0..<steps {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
    }
    return state
  }
}
