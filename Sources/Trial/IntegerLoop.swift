import CStorageInstrument

/// A loop of integer arithmetic without memory or disk access, so that its time depends only on the processor's speed.
package enum IntegerLoop {
  package static func time(_ steps: Int) -> Int64 {
    let start = ci_now()
    let state = state(after: steps)
    let end = ci_now()
    // The state is used so that the compiler does not remove the loop. The state is never zero.
    return state == 0 ? 0 : end - start
  }

  /// Returns the state of a random generator after a number of steps. Each step needs the result of the previous step,
  /// so the processor cannot overlap them. The generator is the xorshift of Marsaglia, "Xorshift RNGs", 2003. From a
  /// nonzero state it never reaches zero.
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
