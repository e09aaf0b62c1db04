import Foundation

/// How much more work a larger input is, by the processor time of this thread: other tests run beside this one.
public enum WorkGrowth {
  /// How often both are tried: more than once, as a disturbed smaller one would hide what is quadratic.
  private static let tries = 2...5

  /// How many times as long the larger one takes: the least time of each, as whatever disturbs only adds; a processor that
  /// shares its core takes twice as long for seconds at a time. They take turns until the ratio is within the bound.
  ///
  /// - Parameters:
  ///   - bound: Where no further try is needed; 0 for all of them.
  ///   - few: The work with the smaller input.
  ///   - many: The work with the larger one.
  public static func ratio(
    enough bound: Double, of few: () throws -> Void, to many: () throws -> Void
  ) rethrows -> Double {
    var least = (few: Double.infinity, many: Double.infinity)
    for attempt in 1...tries.upperBound {
      least.few = min(least.few, try seconds(few))
      least.many = min(least.many, try seconds(many))
      if tries.contains(attempt), least.many < bound * least.few { break }
    }
    return least.many / least.few
  }

  private static func seconds(_ work: () throws -> Void) rethrows -> Double {
    var (before, after) = (timespec(), timespec())
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before)
    try work()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after)
    return Double(after.tv_sec - before.tv_sec) + Double(after.tv_nsec - before.tv_nsec) / 1e9
  }
}
