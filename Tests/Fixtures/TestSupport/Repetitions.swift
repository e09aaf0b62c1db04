import Foundation

/// Returns how often a test with random inputs repeats: the given number, or `TEST_EFFORT` times as often.
/// `scripts/test --all` sets that to 5.
public func repetitions(_ usual: Int) -> Int {
  usual * (ProcessInfo.processInfo.environment["TEST_EFFORT"].flatMap { Int($0) } ?? 1)
}
