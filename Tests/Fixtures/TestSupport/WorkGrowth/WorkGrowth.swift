import Foundation

/// The ratio of the work for a larger input to that for a smaller one. It is measured as the processor time of this
/// thread, because other tests run at the same time.
public enum WorkGrowth {
  /// The number of tries of both. More than one, because a disturbance of the smaller one would hide quadratic work.
  private static let tries = 2...5

  /// Returns the ratio of the times, by the least time of each, because a disturbance only adds time. A processor that
  /// shares its core takes twice as long for seconds at a time. Both are tried in turn until the ratio is within the
  /// bound.
  ///
  /// - Parameters:
  ///   - bound: The ratio below which no further try is needed; 0 for all tries.
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
