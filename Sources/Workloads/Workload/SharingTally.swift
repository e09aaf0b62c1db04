import StorageContract

/// The counts for one of two processes that share a store, such as its saves, errors and reads of outdated content.
public struct SharingTally: Codable, Sendable, Equatable {
  /// The number of saves that succeeded, including those that reported an error but were later found in the store.
  var saves = 0
  /// The number of reads and saves that did not see a completed save of the other process.
  var staleReads = 0
  /// The number of errors by their ``StoreError/code``, such as `busy`.
  var errors: [String: Int] = [:]
  /// The number of times that the engine repeated a save because another process had saved meanwhile.
  var retries = 0
  /// A histogram of the time that each save of the second process took, including failed saves.
  var waits = Waits()
  var lastError: String?
  /// Whether the last save threw an error, but may be in the store nevertheless.
  var isUncertain = false

  mutating func add(_ error: StoreError) {
    errors[error.code, default: 0] += 1
    lastError = "\(error)"
  }

  /// A histogram of the durations of saves. Percentiles are exact to 7 %.
  struct Waits: Codable, Sendable, Equatable {
    private var counts: [Int: Int] = [:]
    private(set) var count = 0
    /// The longest duration of a save, in nanoseconds.
    private(set) var longest: Int64 = 0

    mutating func add(_ duration: Int64) {
      counts[Self.class(of: max(0, duration)), default: 0] += 1
      count += 1
      longest = max(longest, duration)
    }

    /// Returns a quantile of the durations in nanoseconds, or nil without durations. The median has the `share` 0.5.
    func quantile(_ share: Double) -> Int64? {
      var rest = max(1, Int((share * Double(count)).rounded(.up)))
      for (number, count) in counts.sorted(by: { $0.key < $1.key }) {
        rest -= count
        if rest <= 0 { return min(longest, Self.end(of: number)) }
      }
      return nil
    }

    private static func `class`(of duration: Int64) -> Int {
      guard duration >= 16 else { return Int(duration) }
      let doubling = Int64.bitWidth - 1 - duration.leadingZeroBitCount
      return (doubling - 3) * 16 + Int(duration >> (doubling - 4)) & 15
    }

    private static func end(of number: Int) -> Int64 {
      guard number >= 16 else { return Int64(number) }
      let doubling = number / 16 + 3
      return (Int64(16 + number % 16 + 1) << (doubling - 4)) - 1
    }
  }
}

extension StoreError {
  /// A short name of the error, such as `busy`, used as the key in ``SharingTally/errors``.
  var code: String {
    switch self {
    case .busy: "busy"
    case .conflict: "conflict"
    case .damaged: "damaged"
    case .full, .readOnly, .locked, .failed: "other"
    }
  }

  /// Whether the error is a conflict with another process, such as ``busy(_:)``. The call has then changed nothing.
  var isOfSharing: Bool { ["busy", "conflict"].contains(code) }
}
