import CStorageInstrument

/// Arithmetic that takes as long as the processor is slow, with no memory and no disk in it.
package enum IntegerLoop {
  /// How many nanoseconds so many steps take.
  package static func time(_ steps: Int) -> Int64 {
    let start = ci_now()
    let state = state(after: steps)
    let end = ci_now()
    // Looked at, so that the steps are not optimized away; no state is ever zero.
    return state == 0 ? 0 : end - start
  }

  /// Each step needs the one before: nothing to be done side by side. It is the xorshift of Marsaglia, "Xorshift RNGs",
  /// 2003, which leads from a state other than zero to no zero.
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
