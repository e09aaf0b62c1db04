import StorageContract

/// The result of one check of one promise.
public struct ConformanceResult: Sendable, CustomStringConvertible {
  /// The outcome of a check.
  public enum PromiseStatus: Sendable, Equatable {
    /// The promise is kept.
    case kept
    /// The promise is broken. The sentences describe what was found instead.
    case broken([String])
    /// The promise does not apply to this backend, for the reason given.
    case notApplicable(String)
    /// The promise cannot be checked on this machine, for the reason given.
    case unchecked(String)
  }

  /// The backend and its options.
  public let backend: String
  /// The requested durability.
  public let durability: Durability
  /// The check's name: `all-or-nothing`.
  public let check: String
  /// The promise, as a half sentence.
  public let promise: String
  /// The outcome of the check.
  public let status: PromiseStatus
  /// Whether the process exceeded its timeout.
  let isHanging: Bool

  /// Whether the promise is broken.
  public var isBroken: Bool {
    if case .broken = status { true } else { false }
  }

  public var description: String {
    let words =
      switch status {
      case .kept: "kept"
      case .broken(let found): "BROKEN: \(found.joined(separator: "; "))"
      case .notApplicable(let reason): "not applicable, because \(reason)"
      case .unchecked(let reason): "not checked: \(reason)"
      }
    return "\(backend) (\(durability.rawValue)) \(check): \(promise): \(words)"
  }
}

/// An error that lists the promises a backend broke.
public struct ConformanceFailure: Error, CustomStringConvertible, Sendable {
  /// The promises that were broken.
  public let results: [ConformanceResult]

  /// One line for each promise and what was found.
  public var description: String { results.map(\.description).joined(separator: "\n") }
}
