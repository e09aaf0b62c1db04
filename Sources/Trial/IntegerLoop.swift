import CStorageInstrument

/// Integer arithmetic without memory or disk access, so that its time depends only on the speed of the processor.
package enum IntegerLoop {
  /// Returns the time of a number of steps, in nanoseconds.
  package static func time(_ steps: Int) -> Int64 {
    let start = ci_now()
    let state = state(after: steps)
    let end = ci_now()
    // The state is examined so that the steps are not optimized away. No state is ever zero.
    return state == 0 ? 0 : end - start
  }

  /// Returns the state after a number of steps. Each step needs the result of the one before, so the processor cannot
  /// overlap them. The generator is the xorshift of Marsaglia, "Xorshift RNGs", 2003. From a nonzero state it never
  /// reaches zero.
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
