import CStorageInstrument

/// The source of times for a benchmark: the machine's clocks, or simulated clocks in tests of the suite.
package protocol TimeSource {
  /// Returns the current time of a monotonic clock, in nanoseconds.
  func now() -> Int64
  /// Returns the processor time that this process has used so far, in nanoseconds.
  func cpu() -> Int64
  func wait(until time: Int64)
  func spin(until time: Int64)
}

/// The machine's clocks: CLOCK_MONOTONIC for times, and CLOCK_PROCESS_CPUTIME_ID for processor time.
package struct SystemTime: TimeSource {
  @inline(__always) package func now() -> Int64 { ci_now() }
  package func cpu() -> Int64 { ci_cpu_time() }

  package func wait(until time: Int64) {
    // Sleeping may end too late, so the last half millisecond is a busy loop.
    let ahead = time - ci_now()
    if ahead > 1_000_000 { ci_sleep(ahead - 500_000) }
    spin(until: time)
  }

  package func spin(until time: Int64) { while ci_now() < time {} }
}

extension TimeSource {
  /// Returns the duration of one clock reading, in nanoseconds, as the smallest of several averages.
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
  /// The duration of one clock reading, in nanoseconds. Each access measures the duration again, in this module,
  /// because unoptimized code in the caller's module would distort the result.
  package static var readingCost: Double { SystemTime().clockCost() }
}
