import StorageContract

/// The result of one conformance check, which tests one promise of a backend.
public struct ConformanceResult: Sendable, CustomStringConvertible {
  /// The outcome of a check.
  public enum PromiseStatus: Sendable, Equatable {
    /// The promise is kept.
    case kept
    /// The promise is broken. The sentences describe what the check found instead.
    case broken([String])
    /// The promise does not apply to this backend. The string is the reason.
    case notApplicable(String)
    /// The promise cannot be checked on this machine. The string is the reason.
    case unchecked(String)
  }

  /// The name of the backend with its options, as on the command line.
  public let backend: String
  /// The durability that the check requested from the backend: the setting for what a crash or power cut may lose.
  public let durability: Durability
  /// The name of the check, such as `all-or-nothing`.
  public let check: String
  /// The tested promise as a clause: `every value comes back as it was put`.
  public let promise: String
  /// The outcome of the check: the promise is kept, is broken, does not apply or cannot be checked.
  public let status: PromiseStatus
  /// Whether a process of the check exceeded its timeout.
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
  /// The results of the checks that found a broken promise.
  public let results: [ConformanceResult]

  /// One line for each broken promise, with the violations found.
  public var description: String { results.map(\.description).joined(separator: "\n") }
}
