import CStorageInstrument

/// Where times come from: the machine's clocks, or a test's.
package protocol TimeSource {
  /// A clock that never goes back, in nanoseconds.
  func now() -> Int64
  /// Processor time used by this process, in nanoseconds.
  func cpu() -> Int64
  /// Returns when the clock shows at least this time.
  func wait(until time: Int64)
  /// The same, keeping the processor busy.
  func spin(until time: Int64)
}

/// CLOCK_MONOTONIC and CLOCK_PROCESS_CPUTIME_ID.
package struct SystemTime: TimeSource {
  @inline(__always) package func now() -> Int64 { ci_now() }
  package func cpu() -> Int64 { ci_cpu_time() }

  package func wait(until time: Int64) {
    // Sleeping is too coarse for the last stretch.
    let ahead = time - ci_now()
    if ahead > 1_000_000 { ci_sleep(ahead - 500_000) }
    spin(until: time)
  }

  package func spin(until time: Int64) { while ci_now() < time {} }
}

extension TimeSource {
  /// The cost of one reading of the clock in nanoseconds: the least of several averages.
  func clockCost() -> Double {
    let readings = 1_000
    let averages = (0..<9).map { _ in
      let start = now()
      for _ in 0..<readings { _ = now() }
      return Double(now() - start) / Double(readings + 1)
    }
    return max(1, averages.min() ?? 1)
  }
}

extension SystemTime {
  /// The cost of one reading of the machine's clock in nanoseconds, measured now.
  ///
  /// Compiled here, where code is optimized, and not where it is asked for.
  package static var readingCost: Double { SystemTime().clockCost() }
}
