import CStorageInstrument

/// A loop of integer arithmetic. It accesses neither memory nor disk, so its time depends only on the speed of the
/// processor.
package enum IntegerLoop {
  package static func time(_ steps: Int) -> Int64 {
    let start = ci_now()
    let state = state(after: steps)
    let end = ci_now()
    // The state is used so that the compiler does not remove the loop. The state is never zero.
    return state == 0 ? 0 : end - start
  }

  /// Runs a pseudorandom number generator for a number of steps and returns its final state. Each step needs the result
  /// of the step before, so that the processor cannot run steps in parallel. Source: Marsaglia, "Xorshift RNGs", 2003.
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
